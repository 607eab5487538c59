// The published contracts, open to everybody, because they hold no data. /docs shows the OpenAPI document in a browser.
import { Controller, Get, Param, StreamableFile } from '@nestjs/common';
import { z } from 'zod';
import { Operation } from '../../platform/http/operation.decorator.js';
import { listOf } from '../../platform/http/zod-schemas.js';
import { notFound } from '../../platform/http/problem.js';
import { Open } from '../admin/auth/roles.js';
import { PublishedContracts } from './published.js';

const AnyDocument = z.looseObject({});
const Names = z.object({ schemas: listOf(z.string()) });
const nameParam = z.string().regex(/^[a-z0-9.-]{1,100}$/, 'must be the name of a file');

@Controller()
export class DocumentsController {
  constructor(private readonly contracts: PublishedContracts) {}

  @Operation(AnyDocument, { summary: 'This document, OpenAPI 3.1' })
  @Get('openapi.json')
  @Open()
  openapi(): StreamableFile {
    return this.#file('openapi.json');
  }

  @Operation(AnyDocument, { summary: 'The topics, AsyncAPI 3' })
  @Get('asyncapi.json')
  @Open()
  asyncapi(): StreamableFile {
    return this.#file('asyncapi.json');
  }

  @Operation(Names, { summary: 'The names of all published contracts' })
  @Get('schemas')
  @Open()
  names(): z.output<typeof Names> {
    return { schemas: this.contracts.names };
  }

  @Operation(AnyDocument, { summary: 'One of them: the JSON Schema of an event, or a document' })
  @Get('schemas/:name')
  @Open()
  schema(@Param('name', { schema: nameParam }) name: string): StreamableFile {
    return this.#file(name);
  }

  #file(name: string): StreamableFile {
    const bytes = this.contracts.bytes(name);
    if (bytes === undefined) throw notFound('schema');
    return new StreamableFile(bytes, { type: 'application/json; charset=utf-8', length: bytes.length });
  }
}
