package io.millrace.cache.fill;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.kit.share.Party;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Tests that fills which may wait for each other have memory of their own. */
class VersionFillSourceTest {
    @Test
    void relayedBytesOfABackendAreCountedApart() {
        assertThat(Stream.of(
                                version("one", SourceTraits.BACKEND),
                                version("one", SourceTraits.PEER),
                                version("other", SourceTraits.PEER),
                                version("one", SourceTraits.MADE))
                        .map(VersionFillSource::account))
                .doesNotHaveDuplicates()
                .startsWith("one");
    }

    @Test
    void accountDependsOnThePlaceAlone() {
        SourceTraits unstored = new SourceTraits(SourceTraits.Storing.NEVER, SourceTraits.Place.BACKEND, false);
        SourceTraits storedPeer = new SourceTraits(SourceTraits.Storing.ALWAYS, SourceTraits.Place.PEER, false);

        assertThat(version("one", unstored).account()).isEqualTo("one");
        assertThat(version("one", storedPeer).account())
                .isEqualTo(version("one", SourceTraits.PEER).account());
    }

    private static VersionFillSource version(String backend, SourceTraits source) {
        return new VersionFillSource(
                backend,
                Party.GATEWAY,
                source,
                FingerprintHash.random(),
                new Fingerprint(1, 2),
                10,
                4,
                range -> Flux.empty(),
                (key, number, body) -> {
                    throw new UnsupportedOperationException();
                },
                Optional::empty);
    }
}
