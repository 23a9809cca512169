// The validator badge would ask an outside server, so it is off.
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#ui",
  deepLinking: true,
  validatorUrl: null,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
});
