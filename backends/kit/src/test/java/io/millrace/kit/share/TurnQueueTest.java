package io.millrace.kit.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests whose turn it is, and how much of a queue one party can take. */
class TurnQueueTest {
    private static final Party ADA = Party.ofIdentity("ada");
    private static final Party BOB = Party.ofIdentity("bob");

    private final TurnQueue<String> queue = new TurnQueue<>(100);

    @Test
    void thousandsOfOnePartyCostAnotherOneTurn() {
        TurnQueue<String> crowded = new TurnQueue<>(10_000);
        for (int i = 0; i < 3_500; i++) {
            assertThat(crowded.offer(ADA, "ada " + i)).isTrue();
        }
        assertThat(crowded.offer(BOB, "bob")).isTrue();

        assertThat(List.of(next(crowded), next(crowded), next(crowded))).containsExactly("ada 0", "bob", "ada 1");
    }

    @Test
    void partiesTakeTurnsAndEachKeepsItsOrder() {
        offer(ADA, "a1", "a2", "a3");
        offer(Party.GATEWAY, "g1");
        offer(BOB, "b1", "b2");

        assertThat(queue.peek()).isEqualTo("a1");
        assertThat(queue.drain()).containsExactly("a1", "g1", "b1", "a2", "b2", "a3");
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.poll()).isNull();
        assertThat(queue.peek()).isNull();
    }

    @Test
    void anonymousNetworksShareOneTurn() {
        Party flood = Party.ofAnonymous(1);
        Party guest = Party.ofAnonymous(2);
        offer(flood, "f1", "f2", "f3");
        offer(guest, "g1");
        offer(ADA, "a1", "a2");

        assertThat(queue.drain()).containsExactly("f1", "a1", "g1", "a2", "f2", "f3");
    }

    @Test
    void identityNamedLikeTheGatewayIsAPartyOfItsOwn() {
        offer(Party.GATEWAY, "g1", "g2");
        offer(Party.ofIdentity("GATEWAY"), "i1");
        offer(Party.ofIdentity(""), "e1");

        assertThat(queue.drain()).containsExactly("g1", "i1", "e1", "g2");
    }

    @Test
    void onePartyFillsHalfOfTheQueueOnly() {
        for (int i = 0; i < 50; i++) {
            assertThat(queue.offer(ADA, "a" + i)).isTrue();
        }

        assertThat(queue.offer(ADA, "one more")).isFalse();
        assertThat(queue.offer(BOB, "b")).isTrue();
    }

    @Test
    void oneNetworkFillsHalfOfWhatClientsWithoutIdentityMay() {
        Party flood = Party.ofAnonymous(1);
        Party guest = Party.ofAnonymous(2);
        for (int i = 0; i < 25; i++) {
            assertThat(queue.offer(flood, "f" + i)).isTrue();
        }

        assertThat(queue.offer(flood, "one more")).isFalse();
        for (int i = 0; i < 25; i++) {
            assertThat(queue.offer(guest, "g" + i)).isTrue();
        }
        assertThat(queue.offer(Party.ofAnonymous(0), "beyond their half")).isFalse();
        assertThat(queue.offer(BOB, "b")).isTrue();
    }

    @Test
    void fullQueueTakesNoMore() {
        for (int i = 0; i < 100; i++) {
            assertThat(queue.offer(Party.ofIdentity("identity " + i), "i" + i)).isTrue();
        }

        assertThat(queue.offer(BOB, "b")).isFalse();
        assertThat(queue.size()).isEqualTo(100);
    }

    @Test
    void removedOneLosesItsTurn() {
        offer(ADA, "a1", "a2");
        offer(BOB, "b1");

        assertThat(queue.remove(ADA, "a1")).isTrue();
        assertThat(queue.remove(ADA, "a1")).isFalse();
        assertThat(queue.remove(BOB, "b1")).isTrue();
        assertThat(queue.remove(BOB, "b1")).isFalse();

        assertThat(queue.size()).isEqualTo(1);
        assertThat(queue.drain()).containsExactly("a2");
    }

    /** Against a model that searches: whatever is added and removed, nothing is lost and each party's are in order. */
    @Test
    void nothingIsLostWhateverIsAddedAndRemoved() {
        Random random = new Random(47);
        List<Party> parties = List.of(ADA, BOB, Party.GATEWAY, Party.ofAnonymous(0));
        List<List<String>> model = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (int step = 0; step < 20_000; step++) {
            int one = random.nextInt(parties.size());
            List<String> own = model.get(one);
            switch (random.nextInt(4)) {
                case 0, 1 -> {
                    String added = one + " " + step;
                    if (queue.offer(parties.get(one), added)) {
                        own.add(added);
                    } else {
                        boolean isAnonymous = parties.get(one).kind() == Party.Kind.ANONYMOUS;
                        assertThat(queue.size() == 100 || own.size() == (isAnonymous ? 25 : 50))
                                .isTrue();
                    }
                }
                case 2 -> {
                    if (!own.isEmpty()) {
                        String removed = own.remove(random.nextInt(own.size()));
                        assertThat(queue.remove(parties.get(one), removed)).isTrue();
                    }
                }
                default -> {
                    String next = queue.poll();
                    assertThat(next == null).isEqualTo(model.stream().allMatch(List::isEmpty));
                    if (next != null) {
                        List<String> of = model.get(Character.digit(next.charAt(0), 10));
                        assertThat(of.remove(0)).isSameAs(next);
                    }
                }
            }
            assertThat(queue.size())
                    .isEqualTo(model.stream().mapToInt(List::size).sum());
        }
    }

    private void offer(Party party, String... waiting) {
        for (String one : waiting) {
            assertThat(queue.offer(party, one)).isTrue();
        }
    }

    private static String next(TurnQueue<String> of) {
        String next = of.poll();
        return next == null ? "" : next;
    }
}
