package io.millrace.gateway.agreement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.testkit.Polling;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Exceptions;

/** The contract over three voters, by a member that is none of them, and who may connect to them. */
class RatisAgreedStoreTest extends AgreedStoreContract {
    private static VoterCluster cluster;

    @BeforeAll
    static void open(@TempDir Path folder) throws IOException {
        cluster = new VoterCluster(folder, RatisSettings.SNAPSHOT_EVERY);
        cluster.openAll();
    }

    @AfterAll
    static void close() throws IOException {
        cluster.close();
    }

    @Override
    AgreedStore store() {
        return cluster.store(VoterCluster.CLIENT);
    }

    @Test
    void voterSeesWhatAnotherMemberHasChanged() {
        transact(List.of(), put("a", "one"));

        for (String voter : VoterCluster.VOTERS) {
            assertThat(get(cluster.store(voter).range(key("a"))))
                    .extracting(AgreedEntry::value)
                    .containsExactly("one");
        }
    }

    @Test
    void repeatedRequestIsAppliedOnce() {
        transact(List.of(), put("first", ""));
        long seen = range().get(0).revision();
        Transaction creation = new Transaction(List.of(RevisionCompare.absent(key("a"))), List.of(put("a", "one")));
        TransactionRequest request = new TransactionRequest(UUID.randomUUID(), seen, creation);

        TransactionReply first = reply(VoterCluster.CLIENT, request);
        TransactionReply second = reply("gw-0", request);

        assertThat(first.status()).isEqualTo(TransactionReply.Status.APPLIED);
        assertThat(second).isEqualTo(first);
    }

    /** Sends a request until there is a reply: an attempt fails if another voter has become the leader. */
    private static TransactionReply reply(String node, TransactionRequest request) {
        AtomicReference<@Nullable TransactionReply> reply = new AtomicReference<>();
        Polling.until("a reply", () -> {
            try {
                reply.set(cluster.store(node).attempt(request));
                return true;
            } catch (IOException | RuntimeException notLeader) {
                return false;
            }
        });
        return Objects.requireNonNull(reply.get());
    }

    /** Its transaction never has a reply, so that its outcome is unknown to it. */
    @Test
    void strangerWithAnotherSecretIsRefusedAndKnowsNoOutcome() throws IOException {
        try (RatisAgreedStore stranger = cluster.openStranger(RatisAgreedStoreTest::withAnotherSecret)) {
            assertThatThrownBy(() ->
                            stranger.transact(List.of(), List.of(put("a", "x"))).block())
                    .extracting(Exceptions::unwrap)
                    .isInstanceOf(UnknownOutcomeException.class);
            assertReadsNothing(stranger);
        }
        assertThat(range()).isEmpty();
    }

    private static AgreementPlace withAnotherSecret(AgreementPlace place) {
        return new AgreementPlace(
                place.cluster(),
                place.node(),
                place.voters(),
                place.members(),
                place.listen(),
                "incorrect horse battery staple",
                place.folder());
    }

    /** It has the secret, and itself among its members. */
    @Test
    void strangerWithANameThatIsNoMembersIsRefused() throws IOException {
        assertRefused(place -> new AgreementPlace(
                place.cluster(),
                "gw-9",
                place.voters(),
                Set.of("gw-0", "gw-1", "gw-2", "gw-9"),
                place.listen(),
                place.secret(),
                place.folder()));
    }

    @Test
    void voterAtTheAddressOfAnotherIsRefused() throws IOException {
        assertRefused(place -> {
            Map<String, String> rotated = Map.of(
                    "gw-0", addressOf(place, "gw-1"),
                    "gw-1", addressOf(place, "gw-2"),
                    "gw-2", addressOf(place, "gw-0"));
            return new AgreementPlace(
                    place.cluster(),
                    place.node(),
                    rotated,
                    place.members(),
                    place.listen(),
                    place.secret(),
                    place.folder());
        });
    }

    private static String addressOf(AgreementPlace place, String voter) {
        return Objects.requireNonNull(place.voters().get(voter));
    }

    private void assertRefused(UnaryOperator<AgreementPlace> other) throws IOException {
        try (RatisAgreedStore stranger = cluster.openStranger(other)) {
            assertReadsNothing(stranger);
        }
    }

    private static void assertReadsNothing(RatisAgreedStore stranger) {
        assertThatThrownBy(() -> stranger.range("").block())
                .extracting(Exceptions::unwrap)
                .isInstanceOf(AgreedStoreException.class);
    }
}
