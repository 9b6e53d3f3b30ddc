package io.millrace.cache.fill;

import static io.millrace.backend.testkit.interleaving.InterleavingSearch.require;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.runConcurrently;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.search;

import io.millrace.kit.share.Party;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Every claim is granted once, never beyond the budget, and all memory is returned. */
class FillMemoryBudgetInterleavings {
    @Test
    void everyClaimIsGrantedOnceAndReleased() {
        search("memory: each request is served once, never beyond the budget, and all is released", () -> {
            Claims claims = new Claims();
            runConcurrently(() -> claims.claim(6, false), () -> claims.claim(5, false), () -> claims.claim(4, true));
            claims.check(3);
        });
    }

    @Test
    void promotedClaimIsCountedAsWhatItIs() {
        search("memory: a request that is promoted while it waits, is served or releases is counted correctly", () -> {
            Claims claims = new Claims();
            FillMemoryBudget.Claim first = claims.budget.claim("aws", Party.GATEWAY, 8, false, () -> {});
            FillMemoryBudget.Claim promoted = claims.claim(4, true);
            runConcurrently(first::release, promoted::promote, () -> claims.claim(3, true));
            claims.check(2);
        });
    }

    /** Ten bytes, five of them for who works ahead. */
    private static final class Claims {
        final FillMemoryBudget budget = new FillMemoryBudget(10);
        private final AtomicInteger served = new AtomicInteger();
        private final AtomicInteger held = new AtomicInteger();
        private String wrong = "";

        /** Takes them, holds them for a moment, gives them back. */
        FillMemoryBudget.Claim claim(long bytes, boolean quiet) {
            AtomicReference<FillMemoryBudget.Claim> claim = new AtomicReference<>();
            AtomicInteger reported = new AtomicInteger();
            // Whoever is told may be so before he knows his claim: the last of the two uses it.
            Runnable both = () -> {
                if (reported.incrementAndGet() == 2) {
                    use(Objects.requireNonNull(claim.get()), (int) bytes);
                }
            };
            FillMemoryBudget.Claim made = budget.claim("aws", Party.GATEWAY, bytes, quiet, both);
            claim.set(made);
            if (made.isImmediate()) {
                use(made, (int) bytes);
            } else {
                both.run();
            }
            return made;
        }

        private void use(FillMemoryBudget.Claim claim, int bytes) {
            served.incrementAndGet();
            if (held.addAndGet(bytes) > 10) {
                wrong();
            }
            held.addAndGet(-bytes);
            claim.release();
        }

        private synchronized void wrong() {
            wrong = "more than there is";
        }

        void check(int all) {
            require(wrong.isEmpty(), wrong);
            require(served.get() == all, served + " of " + all + " were served");
            require(budget.used() == 0, budget.used() + " bytes are gone");
            require(!budget.isShortForPrefetch("aws"), "somebody waits");
            // Only if nothing is counted wrongly for those who work ahead is their half free.
            FillMemoryBudget.Claim one = budget.claim("aws", Party.GATEWAY, 1, true, () -> {});
            FillMemoryBudget.Claim rest = budget.claim("aws", Party.GATEWAY, 4, true, () -> {});
            require(one.isImmediate() && rest.isImmediate(), "the half of those who work ahead is not free");
            FillMemoryBudget.Claim tooMuch = budget.claim("aws", Party.GATEWAY, 1, true, () -> {});
            require(!tooMuch.isImmediate(), "those who work ahead have more than their half");
        }
    }
}
