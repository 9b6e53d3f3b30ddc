package io.millrace.gateway.s3.object;

import io.netty.buffer.ByteBuf;
import java.util.Map;
import reactor.core.publisher.Flux;

/**
 * A browser upload form whose fields have been read, and whose file can be streamed.
 *
 * @param fields by name in lower case, without the file
 * @param fileName the name of the file in the browser; may be empty
 * @param length the length of the file, in bytes
 * @param file the bytes of the file, under the rules of {@link io.millrace.backend.spi.UploadBody}: fails before the
 *     last buffer if the form does not end where it should. To be subscribed to once, or discarded by {@link #discard}
 */
record UploadForm(Map<String, String> fields, String fileName, long length, Flux<ByteBuf> file) {
    UploadForm {
        fields = Map.copyOf(fields);
    }

    /** Discards the file. */
    void discard() {
        file.subscribe(ByteBuf::release, failure -> {}).dispose();
    }
}
