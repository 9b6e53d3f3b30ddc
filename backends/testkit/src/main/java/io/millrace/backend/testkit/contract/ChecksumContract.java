package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.data.GeneratedBytes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.junit.jupiter.api.Test;

/** Stored checksums are returned on request, and only for the bytes of the body. */
interface ChecksumContract extends ContractSupport {
    /** The one checksum that the JDK computes; a backend keeps others alike. */
    String SHA256 = "x-amz-checksum-sha256";

    @Test
    default void storedChecksumComesOnlyWhenRequested() throws NoSuchAlgorithmException {
        assumeTrue(supports(Capability.CHECKSUMS), "keeps no checksums");
        ObjectKey key = new ObjectKey("summed");
        String sum = seedSummed(key);

        assertThat(head(readRequest(key).withChecksums()).head().headers().first(SHA256))
                .contains(sum);
        ObjectContent content = open(readRequest(key).withChecksums());
        content.discard();
        assertThat(content.head().headers().first(SHA256)).contains(sum);
        assertThat(head(readRequest(key)).head().headers().first(SHA256)).isEmpty();
    }

    @Test
    default void rangeCarriesNoChecksumOfTheWhole() throws NoSuchAlgorithmException {
        assumeTrue(supports(Capability.CHECKSUMS), "keeps no checksums");
        ObjectKey key = new ObjectKey("summed");
        seedSummed(key);

        ObjectContent content = open(readRequest(key)
                .withChecksums()
                .withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(1, 5))));
        content.discard();

        assertThat(content.head().headers().first(SHA256)).isEmpty();
    }

    @Test
    default void checksumModeOfAnObjectWithoutChecksumsSucceeds() {
        ObjectKey key = seeded("unsummed", 10);

        assertThat(read(readRequest(key).withChecksums()))
                .isEqualTo(GeneratedBytes.of("unsummed").first(10));
    }

    private String seedSummed(ObjectKey key) throws NoSuchAlgorithmException {
        byte[] bytes = GeneratedBytes.of(key.value()).first(100);
        String sum = Base64.getEncoder()
                .encodeToString(MessageDigest.getInstance("SHA-256").digest(bytes));
        seed(key, bytes, HeaderList.EMPTY.with(SHA256, sum));
        return sum;
    }
}
