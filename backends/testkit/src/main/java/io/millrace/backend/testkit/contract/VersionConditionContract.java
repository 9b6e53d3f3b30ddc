package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.data.GeneratedBytes;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A read that requires a version returns bytes of that version or fails. */
interface VersionConditionContract extends ContractSupport {
    @Test
    default void pinnedReadOfTheCurrentVersionIsServed() {
        ObjectKey key = seeded("pinned", 1000);
        ReadRequest pinned = readRequest(key).requireVersion(version(key));

        assertThat(head(pinned).head().version()).isEqualTo(version(key));
        assertThat(read(pinned)).isEqualTo(GeneratedBytes.of("pinned").first(1000));
        assertThat(read(pinned.withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(7, 906)))))
                .isEqualTo(GeneratedBytes.of("pinned").slice(7, 900));
    }

    @Test
    default void pinnedReadFailsOnceTheObjectIsReplaced() {
        ObjectKey key = seeded("replaced", 1000);
        ReadRequest pinned = readRequest(key).requireVersion(version(key));

        seed(key, new GeneratedBytes("replaced", 1).first(1000), HeaderList.EMPTY);

        assertFails(pinned, BackendException.FailureKind.VERSION_CHANGED);
        assertFails(
                pinned.withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(0, 9))),
                BackendException.FailureKind.VERSION_CHANGED);
    }

    @Test
    default void rangeBeyondAShorterReplacementIsVersionChanged() {
        ObjectKey key = seeded("shrunk", 1000);
        ReadRequest pinned = readRequest(key)
                .requireVersion(version(key))
                .withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(900, 999)));

        seed(key, new GeneratedBytes("shrunk", 1).first(10), HeaderList.EMPTY);

        assertFails(pinned, BackendException.FailureKind.VERSION_CHANGED);
    }

    @Test
    default void pinnedReadOfARemovedObjectFindsNone() {
        ObjectKey key = seeded("removed", 10);
        ReadRequest pinned = readRequest(key).requireVersion(version(key));

        remove(key);

        assertFails(pinned, BackendException.FailureKind.NO_SUCH_KEY);
    }

    @Test
    default void pinToWhatNeverWasIsAChangedVersion() {
        ObjectKey key = seeded("invented", 10);
        ObjectVersion invented = new ObjectVersion(
                ObjectVersion.ValidatorStrength.STRONG, "\"00000000000000000000000000000000\"", 10, Optional.empty());

        assertFails(readRequest(key).requireVersion(invented), BackendException.FailureKind.VERSION_CHANGED);
    }

    @Test
    default void readBegunBeforeReplacementNeverMixesVersions() {
        int size = 4 << 20;
        ObjectKey key = seeded("under-way", size);
        ObjectContent content = open(readRequest(key));

        seed(key, new GeneratedBytes("under-way", 1).first(size), HeaderList.EMPTY);

        try {
            assertThat(drain(content)).isEqualTo(GeneratedBytes.of("under-way").first(size));
        } catch (BackendException e) {
            assertThat(e.kind())
                    .isIn(
                            BackendException.FailureKind.VERSION_CHANGED,
                            BackendException.FailureKind.INVALID_RESPONSE,
                            BackendException.FailureKind.UNAVAILABLE);
        }
    }

    private ObjectVersion version(ObjectKey key) {
        ObjectVersion version = head(readRequest(key)).head().version();
        assumeTrue(version.hasStrongValidator(), "this backend gives no strong version");
        return version;
    }
}
