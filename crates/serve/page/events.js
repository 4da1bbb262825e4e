// Server-sent events from a response to a POST, which EventSource cannot ask.

/** Each event as `{ type, data }`. One that the end cuts off is not given. */
export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let [text, endedInReturn, type, data] = ["", false, "", []];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      // A line ends in \n, \r or \r\n, and the last may be cut in two.
      text += endedInReturn && value.startsWith("\n") ? value.slice(1) : value;
      endedInReturn = value ? value.endsWith("\r") : endedInReturn;
      const lines = text.split(/\r\n|\r|\n/);
      text = lines.pop();
      for (const line of lines) {
        if (line === "") {
          if (data.length) yield { type: type || "message", data: data.join("\n") };
          [type, data] = ["", []];
          continue;
        }
        const [, name, content = ""] = /^([^:]*)(?::(?: ?)(.*))?$/s.exec(line);
        if (name === "event") type = content;
        if (name === "data") data.push(content);
      }
    }
  } finally {
    // Who stops listening closes the connection, and so cancels the work.
    reader.cancel().catch(() => {});
  }
}
