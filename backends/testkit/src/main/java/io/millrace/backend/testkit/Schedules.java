package io.millrace.backend.testkit;

import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.bytebuddy.agent.ByteBuddyAgent;
import org.jetbrains.lincheck.Lincheck;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.LincheckSettings;
import org.jetbrains.lincheck.jvm.agent.InstrumentationMode;
import org.jetbrains.lincheck.jvm.agent.LincheckInstrumentation;
import org.jetbrains.lincheck.jvm.agent.TransformationProfile;
import reactor.core.scheduler.Schedulers;

/**
 * Searches the interleavings of a few threads: a scheduler lets one of them go on at a time, and decides at each access to what
 * they share whether another does. No schedule is tried twice: first those with one change of threads, then with two, and so on,
 * from the same seed each time. What waits for ever, or for what nobody will do, fails.
 */
public final class Schedules {
    /** How many are tried of each scenario; few in a build, many by bench/interleavings.sh. */
    private static final int MOST = Integer.getInteger("millrace.schedules", 10);

    /** Counts where the search does not look: what is on the heap it puts back after each schedule. */
    private static final ByteBuffer TRIED = ByteBuffer.allocateDirect(Long.BYTES);

    /** Loops of a hundred turns are none that never ends. */
    private static final LincheckSettings SETTINGS = new LincheckSettings(true, 10, 1000, 20);

    private static final RoundScheduler LATER = new RoundScheduler();

    private static boolean attached;

    private Schedules() {}

    /** Once for all searches of a JVM: to take the classes back between them would take longer than the searches do. */
    private static synchronized void attach() {
        if (!attached) {
            attached = true;
            LincheckInstrumentation.INSTANCE.attachJavaAgentStatically(ByteBuddyAgent.install());
            LincheckInstrumentation.INSTANCE.install(InstrumentationMode.MODEL_CHECKING);
            searchOnly(new SearchedCode());
        }
    }

    /** Lincheck has no door for that. */
    private static void searchOnly(TransformationProfile profile) {
        try {
            Field field = LincheckInstrumentation.class.getDeclaredField("transformationProfile");
            field.setAccessible(true);
            field.set(null, profile);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("another Lincheck than this was written for", e);
        }
    }

    /**
     * Runs a scenario once in each schedule, and says how many there were.
     *
     * @param scenario what must hold
     * @param round makes all it needs anew, lets its threads run {@link #atOnce}, and fails if it does not hold
     */
    public static void search(String scenario, Runnable round) {
        attach();
        TRIED.putLong(0, 0);
        long began = System.nanoTime();
        Schedulers.setFactory(LATER);
        try {
            searchAgainIfItHangs(() -> {
                TRIED.putLong(0, TRIED.getLong(0) + 1);
                LATER.begin();
                round.run();
            });
        } finally {
            Schedulers.resetFactory();
        }
        long tried = TRIED.getLong(0);
        System.out.printf(
                "SCHEDULES %s: %d%s, seed 0, %.1f s%n",
                scenario,
                tried,
                tried < MOST ? " (all there are)" : "",
                (double) (System.nanoTime() - began) / TimeUnit.SECONDS.toNanos(1));
    }

    /**
     * A schedule has half a minute, which a busy machine may need to prepare its classes. They are ready the second time, and the
     * schedules are the same: what hangs hangs again.
     */
    private static void searchAgainIfItHangs(Runnable counted) {
        try {
            Lincheck.runConcurrentTestInternal$lincheck(MOST, SETTINGS, counted);
        } catch (LincheckAssertionError failure) {
            if (!String.valueOf(failure.getMessage()).contains("Concurrent test has hung")) {
                throw failure;
            }
            System.out.println("SCHEDULES a schedule has hung: once more");
            TRIED.putLong(0, 0);
            Lincheck.runConcurrentTestInternal$lincheck(MOST, SETTINGS, counted);
        }
    }

    /** Runs these on a thread each, and comes back when all have ended, and all tasks they gave to Reactor's parallel threads; fails if one did. */
    public static void atOnce(Runnable... parts) {
        List<Throwable> failures = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (Runnable part : parts) {
            threads.add(new Thread(() -> {
                try {
                    part.run();
                } catch (RuntimeException | Error e) {
                    synchronized (failures) {
                        failures.add(e);
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        try {
            for (Thread thread : threads) {
                thread.join();
            }
            require(LATER.join(), "a task of another thread failed");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (!failures.isEmpty()) {
            throw new AssertionError(failures.get(0));
        }
    }

    /** What was to come later, by Reactor's parallel threads, comes now, on this thread; not what comes of that. */
    public static void letTimePass() {
        LATER.passTime();
    }

    /** The same, and waits for what it begins. */
    public static void passTime() {
        letTimePass();
        atOnce();
    }

    /** Fails if something does not hold; cheaper to search through than an assertion of a library. */
    public static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
