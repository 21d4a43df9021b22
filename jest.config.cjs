/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/(matrix|cluster|gcloud|ray|torch|compile|browser)/',
  ],
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }] },
  snapshotFormat: { escapeString: false, printBasicPrototype: false },
  coverageProvider: 'v8',
  coveragePathIgnorePatterns: ['/node_modules/', '/imports/'],
};
