package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.metadata.ObjectId;
import java.time.Duration;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** Tests that a balancer that hashes paths is noticed by what it does, and that no other one is taken for it. */
class RelayOriginsTest {
    private static final int OBJECTS = 2_000;

    private final ManualTime time = new ManualTime();
    private final RelayOrigins origins = new RelayOrigins(time);

    /** Relays each object once, from where a function of its number says. */
    private void relay(int objects, IntFunction<String> machine) {
        note(objects, machine, false);
    }

    private void note(int objects, IntFunction<String> machine, boolean held) {
        BucketName bucket = new BucketName("bucket");
        for (int number = 0; number < objects; number++) {
            ObjectId id = ObjectId.current("store", new ObjectRef(bucket, new ObjectKey("key-" + number)));
            RelayedRead.Wanted wanted = new RelayedRead.Current(new ByteSelection.WholeObject());
            origins.note(new RelayedRead(bucket, id, wanted, TierRequest.NONE, held), machine.apply(number));
        }
    }

    private static String byHash(int number) {
        return "10.0.0." + number % 2;
    }

    /** Of 7.5 % from elsewhere no hash is noticed, and one that was is not forgotten. */
    private static String mostlyByHash(int number) {
        return number % 40 < 3 ? "10.0.0.7" : byHash(number);
    }

    @Test
    void objectsThatComeFromOneMachineEachAreNoticed() {
        relay(OBJECTS, RelayOriginsTest::byHash);
        assertThat(origins.isEachOfOne()).as("after one read of each").isFalse();
        time.advance(Duration.ofMinutes(2));

        relay(OBJECTS, RelayOriginsTest::byHash);

        assertThat(origins.isEachOfOne()).isTrue();
    }

    /** A reader that keeps its connection reads many ranges through one member. */
    @Test
    void readsWithinAMinuteCountAsOne() {
        for (int turn = 0; turn < 10; turn++) {
            relay(OBJECTS, RelayOriginsTest::byHash);
            time.advance(Duration.ofSeconds(5));
        }

        assertThat(origins.isEachOfOne()).isFalse();
    }

    /** Each home asks for its own objects, so that each of them comes from one machine. */
    @Test
    void readsOfWhatIsHeldAreNoRelays() {
        note(OBJECTS, RelayOriginsTest::byHash, true);
        time.advance(Duration.ofMinutes(2));

        note(OBJECTS, RelayOriginsTest::byHash, true);

        assertThat(origins.isEachOfOne()).isFalse();
    }

    @Test
    void requestsInTurnAreNoHash() {
        relay(OBJECTS, RelayOriginsTest::byHash);
        time.advance(Duration.ofMinutes(2));

        relay(OBJECTS, number -> "10.0.0." + number / 2 % 2);

        assertThat(origins.isEachOfOne()).isFalse();
    }

    /** A bound of load sends some hot objects to a second member. */
    @Test
    void fewObjectsFromElsewhereAreStillAHash() {
        relay(OBJECTS, RelayOriginsTest::byHash);
        time.advance(Duration.ofMinutes(2));

        relay(OBJECTS, number -> number % 50 == 0 ? "10.0.0.7" : byHash(number));

        assertThat(origins.isEachOfOne()).isTrue();
    }

    @Test
    void noticedHashLastsUntilItIsClearlyOver() {
        relay(OBJECTS, RelayOriginsTest::byHash);
        time.advance(Duration.ofMinutes(2));
        relay(OBJECTS, RelayOriginsTest::byHash);
        assertThat(origins.isEachOfOne()).isTrue();

        relay(OBJECTS, RelayOriginsTest::mostlyByHash);
        assertThat(origins.isEachOfOne())
                .as("while a few more come from elsewhere")
                .isTrue();

        relay(OBJECTS, number -> number % 5 == 0 ? "10.0.0.7" : byHash(number));
        assertThat(origins.isEachOfOne()).as("when a fifth and more do").isFalse();
    }

    @Test
    void shareThatLetsAHashLastIsNoneByItself() {
        relay(OBJECTS, RelayOriginsTest::byHash);
        time.advance(Duration.ofMinutes(2));

        relay(OBJECTS, RelayOriginsTest::mostlyByHash);

        assertThat(origins.isEachOfOne()).isFalse();
    }

    /** Of two members, or while a third is away, each object comes from the only one that there is. */
    @Test
    void onlyOtherMemberSaysNothingOfTheBalancer() {
        relay(OBJECTS, number -> "10.0.0.1");
        time.advance(Duration.ofMinutes(2));

        relay(OBJECTS, number -> "10.0.0.1");

        assertThat(origins.isEachOfOne()).isFalse();
    }

    @Test
    void fewObjectsSayNothing() {
        relay(50, RelayOriginsTest::byHash);
        time.advance(Duration.ofMinutes(2));

        relay(50, RelayOriginsTest::byHash);

        assertThat(origins.isEachOfOne()).isFalse();
    }

    @Test
    void objectsOfMoreThanAnHourAgoDoNotCount() {
        relay(OBJECTS, RelayOriginsTest::byHash);
        time.advance(Duration.ofMinutes(2));
        relay(OBJECTS, RelayOriginsTest::byHash);

        time.advance(Duration.ofHours(1));

        assertThat(origins.isEachOfOne()).isFalse();
    }
}
