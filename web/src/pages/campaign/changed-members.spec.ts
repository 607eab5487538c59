import { expect, it } from 'vitest';
import { changedMembers } from './changed-members.ts';

it.each([
  ['nothing', { a: { b: 1 } }, { a: { b: 1 } }, []],
  ['a value', { a: { b: 1 } }, { a: { b: 2 } }, [{ pointer: '/a/b', was: '1', is: '2' }]],
  ['a new member', {}, { a: 'x' }, [{ pointer: '/a', was: undefined, is: '"x"' }]],
  ['one that is gone', { 'a/b': null }, {}, [{ pointer: '/a~1b', was: 'null', is: undefined }]],
  ['a list as a whole', { to: [1, 2] }, { to: [2] }, [{ pointer: '/to', was: '[1,2]', is: '[2]' }]],
  ['another kind', { a: { b: 1 } }, { a: [] }, [{ pointer: '/a', was: '{"b":1}', is: '[]' }]],
])('finds %s', (_, was, is, changes) => {
  expect(changedMembers(was, is)).toEqual(changes);
});
