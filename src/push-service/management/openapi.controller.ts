// The OpenAPI documents of both surfaces, on the management port; no token: they say what the documentation says.
import { Controller, Get, Inject } from '@nestjs/common';
import { pushOpenApi } from './push-openapi.js';

/** Makes the management API's own document, which can be done only once the application stands. */
export interface MadeOpenApi {
  management?: () => Promise<unknown>;
}
export const MANAGEMENT_OPENAPI = Symbol('management OpenAPI');

@Controller('openapi')
export class OpenApiController {
  constructor(@Inject(MANAGEMENT_OPENAPI) private readonly openApi: MadeOpenApi) {}

  @Get('push.json')
  push(): unknown {
    return pushOpenApi();
  }

  @Get('management.json')
  ofManagement(): Promise<unknown> | undefined {
    return this.openApi.management?.();
  }
}
