package io.millrace.backend.web;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.testkit.data.UploadBodies;
import java.io.ByteArrayOutputStream;
import java.time.Duration;

/** Reads contents to their end. */
final class WebContentReader {
    private WebContentReader() {}

    static byte[] bytes(ObjectContent content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        content.body()
                .doOnNext(piece -> bytes.writeBytes(UploadBodies.takeBytes(piece)))
                .then()
                .block(Duration.ofSeconds(60));
        return bytes.toByteArray();
    }
}
