package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.GatewayHops;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.TierResponse;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.ObjectVersion.ValidatorStrength;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.kit.share.Party;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What members say of reads and objects comes back as it was, and what says nothing is refused. */
class RelayCodecTest {
    private static final ObjectVersion VERSION =
            new ObjectVersion(ValidatorStrength.STRONG, "generation-7", 1000, Optional.of("7"));
    private static final ObjectId ID = new ObjectId(
            "store",
            new ObjectRef(new BucketName("real"), new ObjectKey("a b/\u00e4\u0001\ud83d\ude00?#%")),
            Optional.of("7"));
    private static final TierRequest TIER = new TierRequest(
            GatewayHops.NONE.with("0123456789abcdef0123456789abcdef"),
            true,
            new Party(Party.Kind.IDENTITY, "trainer", false));

    static Stream<RelayedRead.Wanted> kinds() {
        return Stream.of(
                new RelayedRead.Head(),
                new RelayedRead.Current(new ByteSelection.WholeObject()),
                new RelayedRead.Current(new ByteSelection.RangeSelection(new RangeSpec.Bounded(1, 9))),
                new RelayedRead.Current(new ByteSelection.RangeSelection(new RangeSpec.OpenEnded(5))),
                new RelayedRead.Current(new ByteSelection.RangeSelection(new RangeSpec.Suffix(5))),
                new RelayedRead.Version(VERSION, new ByteRange(3, 999)));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void readComesBackAsItWas(RelayedRead.Wanted wanted) throws RefusedMessageException {
        RelayedRead read = new RelayedRead(new BucketName("shown"), ID, wanted, TIER);

        assertThat(RelayCodec.read(RelayCodec.encode(read))).isEqualTo(read);
    }

    static Stream<RelayedRead.Wanted> kindsWithBytes() {
        return kinds().filter(kind -> !(kind instanceof RelayedRead.Head));
    }

    @ParameterizedTest
    @MethodSource("kindsWithBytes")
    void readOfWhatIsHeldComesBackAsItWas(RelayedRead.Wanted wanted) throws RefusedMessageException {
        RelayedRead read = new RelayedRead(new BucketName("shown"), ID, wanted, TIER, true);

        assertThat(RelayCodec.read(RelayCodec.encode(read))).isEqualTo(read);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense",
                "{}",
                "{'version':1}",
                "{'version':1,'kind':'head','bucket':'a/b',OBJECT}",
                "{'version':1,'kind':'tail','bucket':'bucket',OBJECT}",
                "{'version':1,'kind':'held-head','bucket':'bucket',OBJECT}",
                "{'version':1,'kind':'current','bucket':'bucket',OBJECT,'range':'bytes=9-1'}",
                "{'version':1,'kind':'version','bucket':'bucket',OBJECT,'range':'bytes=0-9'}",
                "{'version':1,'kind':'version','bucket':'bucket',OBJECT,'range':'bytes=0-9','content':"
                        + "{'strength':'STRONG','validator':'v','size':9}}",
                "{'version':1,'kind':'version','bucket':'bucket',OBJECT,'range':'bytes=0-9','content':"
                        + "{'strength':'FIRM','validator':'v','size':10}}"
            })
    void readOfNothingIsRefused(String text) {
        String json = text.replace("OBJECT", "'backend':'store','place':'bucket','key':'key'")
                .replace('\'', '"');

        assertThatThrownBy(() -> RelayCodec.read(json.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(RefusedMessageException.class);
    }

    @Test
    void objectComesBackAsItWas() throws RefusedMessageException {
        ObjectHead head = new ObjectHead(
                        VERSION,
                        Optional.of(ETag.parse("W/\"tag\"")),
                        Optional.of(Instant.ofEpochSecond(1_700_000_000)),
                        HeaderList.EMPTY
                                .with("content-type", "text/plain")
                                .with("x-amz-meta-name", "\u00fc\u007f\u0001"))
                .through(new TierResponse("millrace; hit; ttl=20", Duration.ofMillis(1234)));

        for (Optional<ByteRange> range : List.of(Optional.<ByteRange>empty(), Optional.of(new ByteRange(10, 19)))) {
            RelayedObject object = new RelayedObject(head, range);
            assertThat(RelayCodec.object(RelayCodec.encode(object).orElseThrow()))
                    .isEqualTo(object);
        }
    }

    @Test
    void metadataThatDoNotFitIntoAHeaderAreNotSent() {
        ObjectHead head = new ObjectHead(
                        VERSION,
                        Optional.empty(),
                        Optional.empty(),
                        HeaderList.EMPTY.with("x-amz-meta-long", "a".repeat(RelayCodec.MOST_CHARACTERS)))
                .through(new TierResponse("", Duration.ZERO));

        assertThat(RelayCodec.encode(new RelayedObject(head, Optional.empty()))).isEmpty();
    }

    @Test
    void failureComesBackWithAllThatAClientSees() {
        HeaderList ofAMarker = HeaderList.EMPTY.with("x-amz-delete-marker", "true");
        BackendException failure = new BackendException(FailureKind.INVALID_RANGE, "behind the end")
                .withObjectSize(7)
                .withHeaders(ofAMarker);

        assertThatThrownBy(() -> RelayCodec.object(RelayCodec.encode(failure).orElseThrow()))
                .isInstanceOfSatisfying(BackendException.class, read -> {
                    assertThat(read.kind()).isEqualTo(FailureKind.INVALID_RANGE);
                    assertThat(read.objectSize()).hasValue(7);
                    assertThat(read.headers()).isEqualTo(ofAMarker);
                });
    }
}
