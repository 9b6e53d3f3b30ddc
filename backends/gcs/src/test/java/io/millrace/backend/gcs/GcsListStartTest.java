package io.millrace.backend.gcs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The start of a page is exact in the byte order of UTF-8. */
class GcsListStartTest {
    @ParameterizedTest
    @ValueSource(strings = {"a/", "a", "\u007F", "\u07FF", "x\uD7FF", "\uFFFF", "\uD83D\uDE00", "a\uDBFF\uDFFF"})
    void successorOfAPrefixFollowsAllItsKeys(String prefix) {
        String after = GcsListStart.afterAllWith(prefix).orElseThrow();

        assertThat(ObjectKey.UTF8_ORDER.compare(prefix + "\uDBFF\uDFFF\uDBFF\uDFFF", after))
                .isNegative();
        assertThat(after).doesNotStartWith(prefix);
        assertThat(after.codePoints()).noneMatch(c -> c >= 0xD800 && c <= 0xDFFF);
    }

    @Test
    void lastCodePointHasNoSuccessor() {
        assertThat(GcsListStart.afterAllWith("\uDBFF\uDFFF\uDBFF\uDFFF")).isEmpty();
    }

    @Test
    void tokenOfAPrefixSkipsAllOfIt() {
        PageStart next = GcsListStart.of(request(new PageStart.FirstKey())).nextStart("b/", true);

        GcsListStart cursor = GcsListStart.of(request(next));

        assertThat(cursor.startOffset()).isEqualTo("b0");
        assertThat(cursor.includesPrefix("b/")).isFalse();
        assertThat(cursor.includes("b0")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "!", "eHg", "CgVhYmM"})
    void tokenOfAnotherServerIsRefused(String token) {
        BackendException refused = catchThrowableOfType(
                BackendException.class, () -> GcsListStart.of(request(new PageStart.ContinuationToken(token))));

        assertThat(refused.kind()).isEqualTo(FailureKind.INVALID_REQUEST);
    }

    private static ListRequest request(PageStart start) {
        return new ListRequest(new BucketName("bucket"), "", "/", start, 10, false);
    }
}
