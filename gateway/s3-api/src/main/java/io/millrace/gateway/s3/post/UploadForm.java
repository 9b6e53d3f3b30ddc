package io.millrace.gateway.s3.post;

import io.netty.buffer.ByteBuf;
import java.util.Map;
import reactor.core.publisher.Flux;

/**
 * A form that has been read up to its file.
 *
 * @param fields by name in lower case, without the file
 * @param fileName what the browser calls the file; may be empty
 * @param length bytes of the file
 * @param file its bytes, as {@link io.millrace.backend.spi.UploadBody} wants them: it fails before the last piece if the form
 *     does not end where it should. Subscribed to once, or given up by {@link #discard}
 */
record UploadForm(Map<String, String> fields, String fileName, long length, Flux<ByteBuf> file) {
    UploadForm {
        fields = Map.copyOf(fields);
    }

    /** Gives the file up. */
    void discard() {
        file.subscribe(ByteBuf::release, failure -> {}).dispose();
    }
}
