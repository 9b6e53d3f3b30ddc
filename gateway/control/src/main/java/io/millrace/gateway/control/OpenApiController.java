package io.millrace.gateway.control;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Serves the OpenAPI document of the API. The document is written by hand; a test compares it with the handlers and
 * their records.
 */
@RestController
final class OpenApiController {
    private final byte[] document = read();

    @GetMapping(path = ApiAuthenticationFilter.OPENAPI_PATH, produces = MediaType.APPLICATION_JSON_VALUE)
    byte[] document() {
        return document.clone();
    }

    private static byte[] read() {
        try (InputStream in =
                Objects.requireNonNull(OpenApiController.class.getResourceAsStream("openapi.json"), "in this jar")) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
