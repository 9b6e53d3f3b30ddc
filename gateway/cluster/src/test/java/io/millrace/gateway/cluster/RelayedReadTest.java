package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.ObjectVersion.ValidatorStrength;
import io.millrace.backend.spi.object.RangeSpec;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A home is believed only if it sends what was asked for. */
class RelayedReadTest {
    private static final ObjectVersion WANTED = version("one", 100);
    private static final Optional<ByteRange> BYTES = Optional.of(new ByteRange(10, 19));

    private static ObjectVersion version(String validator, long size) {
        return new ObjectVersion(ValidatorStrength.STRONG, validator, size, Optional.empty());
    }

    /** They would be put behind those of the version that was wanted. */
    @Test
    void bytesOfAnotherVersionAreNotWanted() {
        RelayedRead.Wanted wanted = new RelayedRead.Version(WANTED, new ByteRange(10, 19));

        assertThat(wanted.isMetBy(WANTED, BYTES)).isTrue();
        assertThat(wanted.isMetBy(version("other", 100), BYTES)).isFalse();
        assertThat(wanted.isMetBy(version("one", 101), BYTES)).isFalse();
        assertThat(wanted.isMetBy(WANTED, Optional.of(new ByteRange(10, 20)))).isFalse();
        assertThat(wanted.isMetBy(WANTED, Optional.empty())).isFalse();
    }

    @Test
    void currentVersionIsWantedWhateverItIsWithTheseBytesOfIt() {
        RelayedRead.Wanted last = new RelayedRead.Current(new ByteSelection.RangeSelection(new RangeSpec.Suffix(10)));

        assertThat(last.isMetBy(version("other", 20), BYTES)).isTrue();
        assertThat(last.isMetBy(WANTED, BYTES)).isFalse();
        assertThat(new RelayedRead.Current(new ByteSelection.WholeObject()).isMetBy(WANTED, BYTES))
                .isFalse();
        assertThat(new RelayedRead.Head().isMetBy(WANTED, Optional.empty())).isTrue();
    }
}
