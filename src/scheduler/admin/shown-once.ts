// Marks a route whose answer holds a secret that is shown once: the kept idempotent answer has null in its place.
import { SetMetadata, type CustomDecorator } from '@nestjs/common';

export const SHOWN_ONCE_KEY = 'carillon:shown-once';

export const ShownOnce = (member: string): CustomDecorator => SetMetadata(SHOWN_ONCE_KEY, member);
