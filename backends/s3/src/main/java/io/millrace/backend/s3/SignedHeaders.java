package io.millrace.backend.s3;

import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.HeaderList.Field;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.http.SdkHttpRequest;

/**
 * Header fields that are signed in another writing than they are sent in. A value here is bytes, a character for each. The
 * signer takes characters and signs their UTF-8, while servers compute the signature from the bytes that came: so it is shown
 * the text that those bytes are. Bytes that are no UTF-8 cannot be shown to it; servers that decode them as ISO-8859-1 verify
 * them all the same.
 *
 * @param sent by name, the values of a name joined as RFC 9110, 5.3 has it: not every server sees more than the first line
 */
record SignedHeaders(Map<String, String> sent) {
    /** The signer takes a body of this type for something else than a body; a space at its end is not signed. */
    private static final String EVENTS = "application/vnd.amazon.eventstream";

    static SignedHeaders of(HeaderList headers) {
        Map<String, String> sent = new LinkedHashMap<>();
        for (Field field : headers.fields()) {
            sent.merge(field.name(), field.value(), (first, next) -> first + "," + next);
        }
        return new SignedHeaders(sent);
    }

    void addTo(SdkHttpRequest.Builder head) {
        sent.forEach((name, value) -> head.putHeader(name, shown(value)));
    }

    /** The signed request as it is sent. */
    SdkHttpRequest onTheWire(SdkHttpRequest signed) {
        if (sent.values().stream().allMatch(value -> shown(value).equals(value))) {
            return signed;
        }
        SdkHttpRequest.Builder head = signed.toBuilder();
        sent.forEach(head::putHeader);
        return head.build();
    }

    /** Whether some server may read a value as other characters than the signer was shown, and refuse the signature. */
    boolean isAmbiguous() {
        return sent.values().stream()
                .anyMatch(value -> text(value).map(SignedHeaders::hasWideBlanks).orElse(true));
    }

    /** Some servers fold these as they fold blanks before they verify a signature. */
    private static boolean hasWideBlanks(String text) {
        return text.chars()
                .anyMatch(c -> c >= 0x80 && (c == 0x85 || Character.isSpaceChar(c) || Character.isWhitespace(c)));
    }

    private static String shown(String value) {
        if (value.equals(EVENTS)) {
            return EVENTS + " ";
        }
        return text(value).orElse(value);
    }

    /** Empty for bytes that are no UTF-8. */
    private static Optional<String> text(String value) {
        if (value.chars().allMatch(c -> c < 0x80)) {
            return Optional.of(value);
        }
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(value.getBytes(StandardCharsets.ISO_8859_1)))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }
}
