// SVG elements and the widths of texts, for the components that draw pictures of their own.

const NAMESPACE = "http://www.w3.org/2000/svg"

const shape = (tag, attributes = {}, ...children) => {
  const node = document.createElementNS(NAMESPACE, tag)
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value)
  node.append(...children)
  return node
}

const pen = document.createElement("canvas").getContext("2d")
