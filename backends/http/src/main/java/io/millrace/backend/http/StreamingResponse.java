package io.millrace.backend.http;

import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * An HTTP response whose headers have arrived and whose body can still be streamed.
 *
 * @param headers as received; a byte of 0x80 and above is the character with that number
 * @param body must be read once, or discarded
 */
public record StreamingResponse(int status, HttpHeaders headers, ResponseBody body) {
    /** Returns whether the status is 2xx. */
    public boolean isSuccessful() {
        return status >= 200 && status < 300;
    }

    public List<HeaderField> fields() {
        List<HeaderField> fields = new ArrayList<>(headers.size());
        for (Map.Entry<String, String> header : headers) {
            fields.add(new HeaderField(header.getKey(), header.getValue()));
        }
        return fields;
    }
}
