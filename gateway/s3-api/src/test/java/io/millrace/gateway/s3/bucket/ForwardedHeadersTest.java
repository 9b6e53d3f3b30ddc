package io.millrace.gateway.s3.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which of the headers of a request are stored with its object. */
class ForwardedHeadersTest {
    @ParameterizedTest
    @CsvSource({
        "'aws-chunked', ''",
        "'gzip', 'gzip'",
        "'gzip,aws-chunked', 'gzip'",
        "'aws-chunked, gzip', 'gzip'",
        "'AWS-Chunked,aws-chunked', ''",
        "'', ''"
    })
    void awsChunkedIsNotPartOfTheContentEncoding(String sent, String kept) {
        assertThat(ForwardedHeaders.storedEncoding(sent).orElse("")).isEqualTo(kept);
    }
}
