package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.metadata.OwnershipHash;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All members agree on who is home of an object, each is home of as many, and few move when one comes. */
class RendezvousPlacementTest {
    private static final int OBJECTS = 200_000;
    private static final long[] NUMBERS = IntStream.range(0, OBJECTS)
            .mapToObj(number -> new ObjectKey("train/%06d.tar".formatted(number)))
            .mapToLong(key -> OwnershipHash.of("store", new ObjectRef(new BucketName("bucket"), key)))
            .toArray();

    private static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(number -> "gw-" + number).toList();
    }

    private static RendezvousPlacement of(String self, List<String> members) {
        return new RendezvousPlacement(
                self, members.stream().filter(name -> !name.equals(self)).toList());
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 8, 16})
    void sharesAreEvenWithinFivePercent(int count) {
        List<String> members = names(count);

        for (String self : members) {
            RendezvousPlacement placement = of(self, members);
            long own = Arrays.stream(NUMBERS)
                    .filter(object -> placement.before(object).isEmpty())
                    .count();

            assertThat((double) own * count / OBJECTS).as(self).isBetween(0.95, 1.05);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 16})
    void sharesOfASampleAreThoseOfObjects(int count) {
        Map<String, Double> shares = of("gw-0", names(count)).shares(other -> true);

        assertThat(shares).hasSize(count).containsKey("gw-0");
        assertThat(shares.values())
                .allSatisfy(share -> assertThat(share * count).isBetween(0.9, 1.1));
        assertThat(shares.values().stream().mapToDouble(Double::doubleValue).sum())
                .isCloseTo(1, within(1e-9));
    }

    @Test
    void othersTakeOverWhatAMemberThatIsNotHeardIsHomeOf() {
        RendezvousPlacement placement = of("gw-0", names(4));
        Map<String, Double> before = placement.shares(other -> true);

        Map<String, Double> after = placement.shares(other -> !other.equals("gw-3"));

        assertThat(after).containsOnlyKeys("gw-0", "gw-1", "gw-2");
        after.forEach((member, share) -> assertThat(share).as(member).isGreaterThan(before.get(member)));
    }

    @Test
    void membersAgreeOnTheOrder() {
        List<String> members = names(5);

        for (long object : Arrays.copyOf(NUMBERS, 1000)) {
            List<Integer> places = members.stream()
                    .map(self -> of(self, members).before(object).size())
                    .sorted()
                    .toList();
            assertThat(places).containsExactly(0, 1, 2, 3, 4);
            assertThat(members.stream()
                            .map(self -> of(self, members).home(object))
                            .distinct())
                    .hasSize(1);
        }
    }

    @Test
    void objectsMoveOnlyToAMemberThatJoins() {
        for (long object : Arrays.copyOf(NUMBERS, 1000)) {
            assertThat(home(names(5), object)).isIn(home(names(4), object), "gw-4");
        }
    }

    /** What a member was home of its second choices get, each its own, and all else stays where it is. */
    @Test
    void objectsOfAMemberThatLeavesMoveToTheirSecondChoice() {
        List<String> left =
                names(5).stream().filter(name -> !name.equals("gw-2")).toList();
        for (long object : Arrays.copyOf(NUMBERS, 1000)) {
            String home = home(names(5), object);
            String second = left.stream()
                    .filter(self -> of(self, names(5)).before(object).size() == (home.equals("gw-2") ? 1 : 0))
                    .findFirst()
                    .orElseThrow();

            assertThat(home(left, object)).isEqualTo(second);
        }
    }

    @Test
    void twoChoicesAreDistinctAndNeitherIsTheMemberThatChooses() {
        for (String self : names(5)) {
            for (long object : Arrays.copyOf(NUMBERS, 1000)) {
                assertThat(of(self, names(5)).before(object))
                        .doesNotHaveDuplicates()
                        .doesNotContain(self);
            }
        }
    }

    private static String home(List<String> members, long object) {
        return members.stream()
                .filter(self -> of(self, members).before(object).isEmpty())
                .findFirst()
                .orElseThrow();
    }

    /** So that no two members wait for each other while their lists differ. */
    @Test
    void orderOfTwoIsTheSameInEveryList() {
        for (long object : Arrays.copyOf(NUMBERS, 1000)) {
            boolean isAmongTwo = of("gw-0", names(2)).before(object).contains("gw-1");
            boolean isAmongFive = of("gw-0", names(5)).before(object).contains("gw-1");
            boolean isAsked = of("gw-1", names(2)).before(object).contains("gw-0");

            assertThat(isAmongFive).isEqualTo(isAmongTwo);
            assertThat(isAsked).isNotEqualTo(isAmongTwo);
        }
    }
}
