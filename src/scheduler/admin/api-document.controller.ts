// /openapi.json, for the holder of any token.
import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController, type OpenAPIObject } from '@nestjs/swagger';
import { ApiDocument } from './api-document.js';
import { Roles } from './auth/roles.js';

@Controller()
@ApiExcludeController()
@Roles('publisher', 'analyst')
export class ApiDocumentController {
  constructor(private readonly document: ApiDocument) {}

  @Get('openapi.json')
  openapi(): OpenAPIObject {
    return this.document.read();
  }
}
