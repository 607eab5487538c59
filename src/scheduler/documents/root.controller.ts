// GET /: leads a program that has only the address of a scheduler to the documents; a browser gets the dashboard instead. Open to
// everybody, because it holds no data.
import { Controller, Get, Header } from '@nestjs/common';
import { BareOperation } from '../../platform/http/operation.decorator.js';
import { Open } from '../admin/auth/roles.js';

const WAYS = `Carillon: campaigns of push notifications.

/                in a browser, the dashboard
/docs            the HTTP API, readable
/openapi.json    the same as OpenAPI 3.1
/asyncapi.json   the Kafka topics
/schemas         JSON Schemas of the events
/health/ready    whether it is ready
`;

@Controller()
export class RootController {
  @BareOperation({ summary: 'The way to the documents', otherMedia: ['text/plain'] })
  @Get()
  @Open()
  @Header('content-type', 'text/plain; charset=utf-8')
  ways(): string {
    return WAYS;
  }
}
