// The OpenAPI documents of both surfaces, on the management port; no token: they say what the documentation says.
import { Controller, Get, Inject } from '@nestjs/common';
import { pushOpenApi } from './push-openapi.js';

/** Gives the management API's own document, which can be made only once the application stands. */
export const MANAGEMENT_OPENAPI = Symbol('management OpenAPI');

@Controller('openapi')
export class OpenApiController {
  constructor(@Inject(MANAGEMENT_OPENAPI) private readonly openApi: { management?: unknown }) {}

  @Get('push.json')
  push(): unknown {
    return pushOpenApi();
  }

  @Get('management.json')
  ofManagement(): unknown {
    return this.openApi.management;
  }
}
