package io.millrace.backend.s3;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.http.SdkHttpRequest;

/**
 * Request headers in two encodings: the bytes that are sent, and the text that is signed. A value here has one
 * character per byte. The signer takes characters and signs their UTF-8, but servers compute the signature from the
 * received bytes. So the signer gets the bytes decoded as UTF-8. Bytes that are not UTF-8 are signed unchanged; servers
 * that decode them as ISO-8859-1 verify them.
 *
 * @param sent values by name; several values of a name are joined (RFC 9110, 5.3), since some servers see only the
 *     first line
 */
record SentAndSignedHeaders(Map<String, String> sent) {
    /** The signer treats this content type specially; a trailing space avoids that and is not signed. */
    private static final String EVENTS = "application/vnd.amazon.eventstream";

    static SentAndSignedHeaders of(HeaderList headers) {
        Map<String, String> sent = new LinkedHashMap<>();
        for (HeaderField field : headers.fields()) {
            sent.merge(field.name(), field.value(), (first, next) -> first + "," + next);
        }
        return new SentAndSignedHeaders(sent);
    }

    void addTo(SdkHttpRequest.Builder head) {
        sent.forEach((name, value) -> head.putHeader(name, signedForm(value)));
    }

    /** Returns the signed request with the values that are sent. */
    SdkHttpRequest restoreSentValues(SdkHttpRequest signed) {
        if (sent.values().stream().allMatch(value -> signedForm(value).equals(value))) {
            return signed;
        }
        SdkHttpRequest.Builder head = signed.toBuilder();
        sent.forEach(head::putHeader);
        return head.build();
    }

    /** Returns whether a server may decode a value differently than it was signed, and refuse the signature. */
    boolean isAmbiguous() {
        return sent.values().stream()
                .anyMatch(value ->
                        text(value).map(SentAndSignedHeaders::hasWideBlanks).orElse(true));
    }

    /** Some servers collapse non-ASCII blanks before they verify a signature. */
    private static boolean hasWideBlanks(String text) {
        return text.chars()
                .anyMatch(c -> c >= 0x80 && (c == 0x85 || Character.isSpaceChar(c) || Character.isWhitespace(c)));
    }

    private static String signedForm(String value) {
        if (value.equals(EVENTS)) {
            return EVENTS + " ";
        }
        return text(value).orElse(value);
    }

    /** Decodes the value's bytes as UTF-8; empty if they are not UTF-8. */
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
