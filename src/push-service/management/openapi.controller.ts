// The OpenAPI documents of the interface and of management, on the management port. They need no token: the documentation says
// the same.
import { Controller, Get } from '@nestjs/common';
import { pushOpenApi } from '../gateway/interface-openapi.js';

@Controller('openapi')
export class OpenApiController {
  /** Set once the application exists, because the document is made from it. */
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
