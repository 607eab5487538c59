// The OpenAPI 3.1 description of the API, made from the schemas that check the requests. Made when it is first asked
// for: it costs every start otherwise.
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

export class ApiDocument {
  #app: INestApplication | undefined;
  #document: OpenAPIObject | undefined;

  /** Call once, with the application whose routes it describes. */
  of(app: INestApplication): void {
    this.#app = app;
  }

  read(): OpenAPIObject {
    if (this.#app === undefined) throw new Error('no application was given to describe');
    this.#document ??= SwaggerModule.createDocument(this.#app, settings());
    return this.#document;
  }
}

function settings(): Omit<OpenAPIObject, 'paths'> {
  return new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Carillon')
    .setDescription(
      'Campaigns, sends, reports and administration of the Carillon scheduler. Errors are application/problem+json with a stable code.',
    )
    .setVersion('1')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      description: 'A token made with "carillon token create" or POST /v1/tokens',
    })
    .addSecurityRequirements('bearer')
    .build();
}
