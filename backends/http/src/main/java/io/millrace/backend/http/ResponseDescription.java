package io.millrace.backend.http;

import java.nio.charset.StandardCharsets;

/**
 * The text that tells operators what a server has said that is not of the expected kind: status, content type, and how
 * the body begins.
 */
public final class ResponseDescription {
    /** As much of a body as tells whose it is, and fits into a line of the log. */
    private static final int SHOWN = 100;

    private ResponseDescription() {}

    /** Returns the text, on one line. */
    public static String of(BufferedResponse response) {
        String type = response.header("content-type").orElse("no content type");
        return PrintableText.of("%d, %s, %s".formatted(response.status(), type, beginning(response.bytes())));
    }

    private static String beginning(byte[] body) {
        if (body.length == 0) {
            return "without a body";
        }
        String text = new String(body, 0, Math.min(body.length, SHOWN), StandardCharsets.UTF_8);
        return "'%s%s'".formatted(text.strip().replaceAll("\\s+", " "), body.length > SHOWN ? "..." : "");
    }
}
