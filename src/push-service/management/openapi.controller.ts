// The OpenAPI documents of both surfaces, on the management port; no token: they say what the documentation says.
import { Controller, Get } from '@nestjs/common';
import { pushOpenApi } from '../gateway/interface-openapi.js';

@Controller('openapi')
export class OpenApiController {
  /** Given once the application stands: its document is made of it. */
  makeManagement?: () => Promise<unknown>;
  #management: Promise<unknown> | undefined;

  @Get('push.json')
  push(): unknown {
    return pushOpenApi();
  }

  @Get('management.json')
  ofManagement(): Promise<unknown> | undefined {
    return (this.#management ??= this.makeManagement?.());
  }
}
