package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.RangeSpec;
import io.millrace.backend.spi.ReadRequest.Selection;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.junit.jupiter.api.Test;

/** Stored checksums are given back when asked for, and never of other bytes than the body's. */
interface ChecksumCases extends ContractCases {
    /** The one checksum that the JDK computes; a backend keeps others alike. */
    String SHA256 = "x-amz-checksum-sha256";

    @Test
    default void storedChecksumComesOnlyWhenAskedFor() throws NoSuchAlgorithmException {
        assumeTrue(can(Capability.CHECKSUMS), "keeps no checksums");
        ObjectKey key = new ObjectKey("summed");
        String sum = seedSummed(key);

        assertThat(head(asking(key).withChecksums()).head().headers().first(SHA256))
                .contains(sum);
        ObjectContent content = open(asking(key).withChecksums());
        content.discard();
        assertThat(content.head().headers().first(SHA256)).contains(sum);
        assertThat(head(asking(key)).head().headers().first(SHA256)).isEmpty();
    }

    @Test
    default void rangeCarriesNoChecksumOfTheWhole() throws NoSuchAlgorithmException {
        assumeTrue(can(Capability.CHECKSUMS), "keeps no checksums");
        ObjectKey key = new ObjectKey("summed");
        seedSummed(key);

        ObjectContent content =
                open(asking(key).withChecksums().select(new Selection.Range(new RangeSpec.Closed(1, 5))));
        content.discard();

        assertThat(content.head().headers().first(SHA256)).isEmpty();
    }

    @Test
    default void askingForChecksumsOfAnObjectWithoutAnyIsHarmless() {
        ObjectKey key = seeded("unsummed", 10);

        assertThat(read(asking(key).withChecksums()))
                .isEqualTo(Bytes.of("unsummed").first(10));
    }

    private String seedSummed(ObjectKey key) throws NoSuchAlgorithmException {
        byte[] bytes = Bytes.of(key.value()).first(100);
        String sum = Base64.getEncoder()
                .encodeToString(MessageDigest.getInstance("SHA-256").digest(bytes));
        seed(key, bytes, HeaderList.EMPTY.with(SHA256, sum));
        return sum;
    }
}
