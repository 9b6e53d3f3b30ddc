package io.millrace.backend.s3;

import io.millrace.backend.spi.HeaderList.Field;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * An answer whose head is here.
 *
 * @param headers as they came; a byte of 0x80 and above is the character of that number
 * @param body to be read once, or given up
 */
record WireAnswer(int status, HttpHeaders headers, AnswerBody body) {
    /** Whether it brings what was asked for. */
    boolean isSuccessful() {
        return status >= 200 && status < 300;
    }

    List<Field> fields() {
        List<Field> fields = new ArrayList<>(headers.size());
        for (Map.Entry<String, String> header : headers) {
            fields.add(new Field(header.getKey(), header.getValue()));
        }
        return fields;
    }
}
