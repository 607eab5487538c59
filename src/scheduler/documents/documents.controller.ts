// The published contracts, open to everybody, for they hold no data. /docs shows the OpenAPI document in a browser.
import { Controller, Get, Param } from '@nestjs/common';
import { z } from 'zod';
import type { Json } from '../../platform/http/json-schema.js';
import { Operation } from '../../platform/http/operation.decorator.js';
import { listOf } from '../../platform/http/schema-parts.js';
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
  openapi(): Json {
    return this.#read('openapi.json');
  }

  @Operation(AnyDocument, { summary: 'The topics, AsyncAPI 3' })
  @Get('asyncapi.json')
  @Open()
  asyncapi(): Json {
    return this.#read('asyncapi.json');
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
  schema(@Param('name', { schema: nameParam }) name: string): Json {
    return this.#read(name);
  }

  #read(name: string): Json {
    const document = this.contracts.read(name);
    if (document === undefined) throw notFound('schema');
    return document;
  }
}
