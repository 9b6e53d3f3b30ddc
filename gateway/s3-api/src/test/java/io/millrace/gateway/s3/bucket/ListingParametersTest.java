package io.millrace.gateway.s3.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.EncodingType;
import io.millrace.gateway.s3.protocol.RequestTarget;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Verifies the parsing of listing parameters. A wrong page makes a client skip keys or loop forever. */
class ListingParametersTest {
    @ParameterizedTest
    @CsvSource({
        "'',1000",
        "max-keys=,1000",
        "max-keys=0,0",
        "max-keys=7,7",
        "max-keys=1001,1000",
        "max-keys=2147483647,1000"
    })
    void aPageHasAThousandKeysAtMost(String query, int keys) {
        assertThat(of(query).maxKeys()).isEqualTo(keys);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "max-keys=-1",
                "max-keys=x",
                "max-keys=2147483648",
                "max-keys=1.0",
                "encoding-type=URL",
                "encoding-type=x"
            })
    void invalidParametersAreInvalidArguments(String query) {
        assertThatThrownBy(() -> of(query))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.code()).isEqualTo("InvalidArgument"));
    }

    @Test
    void textsAreEncodedIfThatIsRequested() {
        assertThat(of("encoding-type=url").encode("a b/\u00e4+\n")).isEqualTo("a%20b/%C3%A4%2B%0A");
        assertThat(of("encoding-type=").encode("a b")).isEqualTo("a b");
        assertThat(of("prefix=a+b&delimiter=%2F"))
                .isEqualTo(new ListingParameters("a b", "/", 1000, new EncodingType(Optional.empty())));
    }

    private static ListingParameters of(String query) {
        return ListingParameters.of(RequestTarget.parse("/bucket?" + query, Optional.empty()));
    }
}
