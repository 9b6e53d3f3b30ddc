package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectVersion;
import io.millrace.backend.spi.RangeSpec;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A read tied to a version brings bytes of that version or none. */
interface PinCases extends ContractCases {
    @Test
    default void pinnedReadOfTheCurrentVersionIsServed() {
        ObjectKey key = seeded("pinned", 1000);
        ReadRequest pinned = asking(key).pinnedTo(version(key));

        assertThat(head(pinned).head().version()).isEqualTo(version(key));
        assertThat(read(pinned)).isEqualTo(Bytes.of("pinned").first(1000));
        assertThat(read(pinned.select(new Selection.Range(new RangeSpec.Closed(7, 906)))))
                .isEqualTo(Bytes.of("pinned").slice(7, 900));
    }

    @Test
    default void pinnedReadFailsOnceTheObjectIsReplaced() {
        ObjectKey key = seeded("replaced", 1000);
        ReadRequest pinned = asking(key).pinnedTo(version(key));

        seed(key, new Bytes("replaced", 1).first(1000), HeaderList.EMPTY);

        assertFails(pinned, BackendException.Kind.VERSION_CHANGED);
        assertFails(
                pinned.select(new Selection.Range(new RangeSpec.Closed(0, 9))), BackendException.Kind.VERSION_CHANGED);
    }

    @Test
    default void rangeBeyondAShorterReplacementIsAChangedVersionNotABadRange() {
        ObjectKey key = seeded("shrunk", 1000);
        ReadRequest pinned =
                asking(key).pinnedTo(version(key)).select(new Selection.Range(new RangeSpec.Closed(900, 999)));

        seed(key, new Bytes("shrunk", 1).first(10), HeaderList.EMPTY);

        assertFails(pinned, BackendException.Kind.VERSION_CHANGED);
    }

    @Test
    default void pinnedReadOfARemovedObjectFindsNone() {
        ObjectKey key = seeded("removed", 10);
        ReadRequest pinned = asking(key).pinnedTo(version(key));

        remove(key);

        assertFails(pinned, BackendException.Kind.NO_SUCH_KEY);
    }

    @Test
    default void pinToWhatNeverWasIsAChangedVersion() {
        ObjectKey key = seeded("invented", 10);
        ObjectVersion invented = new ObjectVersion(
                ObjectVersion.Strength.STRONG, "\"00000000000000000000000000000000\"", 10, Optional.empty());

        assertFails(asking(key).pinnedTo(invented), BackendException.Kind.VERSION_CHANGED);
    }

    @Test
    default void readBegunBeforeAReplacementBringsNoByteOfTheOther() {
        int size = 4 << 20;
        ObjectKey key = seeded("under-way", size);
        ObjectContent content = open(asking(key));

        seed(key, new Bytes("under-way", 1).first(size), HeaderList.EMPTY);

        try {
            assertThat(drain(content)).isEqualTo(Bytes.of("under-way").first(size));
        } catch (BackendException e) {
            assertThat(e.kind()).isIn(BackendException.Kind.VERSION_CHANGED, BackendException.Kind.BROKEN_ANSWER);
        }
    }

    private ObjectVersion version(ObjectKey key) {
        ObjectVersion version = head(asking(key)).head().version();
        assumeTrue(version.canBePinned(), "this backend gives no strong version");
        return version;
    }
}
