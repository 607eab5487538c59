// Marks a route whose answer shows a secret once.
import { SetMetadata, type CustomDecorator } from '@nestjs/common';

export const SHOWN_ONCE_KEY = 'carillon:shown-once';

/** The answer that is kept for a repeat of the request has null in place of that member. */
export const ShownOnce = (member: string): CustomDecorator => SetMetadata(SHOWN_ONCE_KEY, member);
