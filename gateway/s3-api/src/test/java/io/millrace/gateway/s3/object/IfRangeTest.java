package io.millrace.gateway.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Verifies If-Range. A range of another version than the client has would make a file of two halves. */
class IfRangeTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"x\"|true",
                "x|true",
                "\"y\"|false",
                "W/\"x\"|false",
                "*|false",
                "''|false",
                "Sun, 06 Nov 1994 08:49:37 GMT|true",
                "Sun, 06 Nov 1994 08:49:38 GMT|false",
                "Sun, 06 Nov 1994 08:49:36 GMT|false"
            })
    void onlyTheSameContentHolds(String header, boolean holds) {
        assertThat(IfRange.parse(header).holds(head(Optional.of(ETag.strong("x")))))
                .isEqualTo(holds);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"W/\"x\"", "\"x\""})
    void aWeakOrAbsentTagHoldsForNone(String header) {
        assertThat(IfRange.parse(header).holds(head(Optional.of(new ETag("x", true)))))
                .isFalse();
        assertThat(IfRange.parse(header).holds(head(Optional.empty()))).isFalse();
    }

    private static ObjectHead head(Optional<ETag> tag) {
        return new ObjectHead(
                ObjectVersion.ofETag(tag, 10, Optional.empty()),
                tag,
                Optional.of(Instant.parse("1994-11-06T08:49:37.5Z")),
                HeaderList.EMPTY);
    }
}
