package io.millrace.gateway.control;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The API in OpenAPI's words, for programs. Written by hand; a test holds it against the handlers and their records. */
@RestController
final class DocumentController {
    private final byte[] document = read();

    @GetMapping(path = ApiFilter.DOCUMENT, produces = MediaType.APPLICATION_JSON_VALUE)
    byte[] document() {
        return document.clone();
    }

    private static byte[] read() {
        try (InputStream in =
                Objects.requireNonNull(DocumentController.class.getResourceAsStream("openapi.json"), "in this jar")) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
