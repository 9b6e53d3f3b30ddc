package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.metadata.ObjectId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Who may have the bytes of a write is known by its announcement, until a later one is heard, or it lacks them. */
class LastWritersTest {
    private final LastWriters writers = new LastWriters();

    private static ObjectId id(String key) {
        return ObjectId.current("store", new ObjectRef(new BucketName("bucket"), new ObjectKey(key)));
    }

    private void announce(String member, boolean acknowledged, ObjectId... ids) {
        Announcement written = new Announcement.Written(List.of(ids), acknowledged);
        writers.note(new AnnouncementBatch(member, new SessionId(1, 2), 1, List.of(written)));
    }

    @Test
    void lastWriterOfEachObjectIsKnown() {
        announce("gw-0", true, id("a"), id("b"));
        announce("gw-1", true, id("b"));

        assertThat(writers.of(id("a"))).contains("gw-0");
        assertThat(writers.of(id("b"))).contains("gw-1");
        assertThat(writers.of(id("c"))).isEmpty();
    }

    /** Its body may be another one than the object's. */
    @Test
    void unacknowledgedWriteIsNotNoted() {
        announce("gw-0", false, id("a"));

        assertThat(writers.of(id("a"))).isEmpty();
    }

    @Test
    void versionHasNoLastWriter() {
        ObjectId version = new ObjectId("store", id("a").object(), Optional.of("7"));
        announce("gw-0", true, version);

        assertThat(writers.of(id("a"))).isEmpty();
        announce("gw-0", true, id("a"));
        assertThat(writers.of(version)).isEmpty();
    }

    /** Each message brings its own. */
    @Test
    void nameOfAMemberIsInMemoryOnce() {
        announce(String.join("-", "gw", "0"), true, id("a"));
        announce(String.join("-", "gw", "0"), true, id("b"));

        assertThat(writers.of(id("a")).orElseThrow())
                .isSameAs(writers.of(id("b")).orElseThrow());
    }

    /** One that has written since may have it. */
    @Test
    void hintIsDroppedForTheSameMemberOnly() {
        announce("gw-1", true, id("a"));

        writers.forget(id("a"), "gw-0");
        assertThat(writers.of(id("a"))).contains("gw-1");
        writers.forget(id("a"), "gw-1");
        assertThat(writers.of(id("a"))).isEmpty();
    }

    /** What is known of an object is never of another one in its slot. */
    @Test
    void laterWritesReplaceEarlierOnes() {
        announce("gw-0", true, id("a"));
        for (int i = 0; i < 1 << 19; i++) {
            announce("gw-1", true, id("key-" + i));
        }

        assertThat(writers.of(id("a"))).isEmpty();
        assertThat(writers.of(id("key-" + ((1 << 19) - 1)))).contains("gw-1");
    }
}
