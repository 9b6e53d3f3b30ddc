package io.millrace.cache.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Gateways of different releases agree on the owner of an object. */
class OwnershipHashTest {
    /** Computed by another implementation: SipHash-2-4-128 with a key of zeros, its first eight bytes. */
    @ParameterizedTest
    @CsvSource({
        "origin, data, a/1, 135985b346003c44",
        "origin, data, a/2, 329ca8df2aba8364",
        "other, data, a/1, 38c2cd018f168e71",
        "origin, data2, a/1, a987419dbb93ca20",
        "origin, data, grüße/漢, 443c4a030bca385f"
    })
    void numberNeverChanges(String backend, String bucket, String key, String expected) {
        long number = OwnershipHash.of(backend, new ObjectRef(new BucketName(bucket), new ObjectKey(key)));

        assertThat(Long.toHexString(number)).isEqualTo(expected);
    }
}
