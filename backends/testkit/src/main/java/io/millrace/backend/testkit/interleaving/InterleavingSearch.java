package io.millrace.backend.testkit.interleaving;

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
 * Searches the interleavings of a few threads. A scheduler runs one of them at a time, and decides at each access to
 * shared state whether to switch. No schedule is tried twice: first those with one switch, then with two, and so on,
 * always from the same seed. Deadlocks and endless waits fail.
 */
public final class InterleavingSearch {
    /** Maximum number of schedules of each scenario; few in a build, many by bench/interleavings.sh. */
    private static final int MAX_SCHEDULES = Integer.getInteger("millrace.schedules", 10);

    private static final int MAX_ATTEMPTS = 8;

    /** Counter of schedules outside the heap, because the search resets the heap after each schedule. */
    private static final ByteBuffer SCHEDULES_TRIED = ByteBuffer.allocateDirect(Long.BYTES);

    /** Loops of a hundred turns are none that never ends. */
    private static final LincheckSettings SETTINGS = new LincheckSettings(true, 10, 1000, 20);

    private static final InterleavedScheduler SCHEDULER = new InterleavedScheduler();

    private static boolean attached;

    private InterleavingSearch() {}

    /** Attaches once for all searches of a JVM: detaching between them would take longer than the searches. */
    private static synchronized void attach() {
        if (!attached) {
            attached = true;
            LincheckInstrumentation.INSTANCE.attachJavaAgentStatically(ByteBuddyAgent.install());
            LincheckInstrumentation.INSTANCE.install(InstrumentationMode.MODEL_CHECKING);
            searchOnly(new InterleavingScope());
        }
    }

    /** Lincheck has no API for this. */
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
     * Runs a scenario once in each schedule, and prints their number.
     *
     * @param scenario the property that must hold
     * @param round creates its own state, runs its threads {@link #runConcurrently}, and fails if the property does not
     *     hold
     */
    public static void search(String scenario, Runnable round) {
        attach();
        long began = System.nanoTime();
        Schedulers.setFactory(SCHEDULER);
        try {
            searchAgainIfItHangs(() -> {
                SCHEDULES_TRIED.putLong(0, SCHEDULES_TRIED.getLong(0) + 1);
                SCHEDULER.reset();
                round.run();
            });
        } finally {
            Schedulers.resetFactory();
        }
        long tried = SCHEDULES_TRIED.getLong(0);
        System.out.printf(
                "SCHEDULES %s: %d%s, seed 0, %.1f s%n",
                scenario,
                tried,
                tried < MAX_SCHEDULES ? " (all there are)" : "",
                (double) (System.nanoTime() - began) / TimeUnit.SECONDS.toNanos(1));
    }

    /**
     * Repeats a search that hangs. A schedule has half a minute, which a busy machine may need to prepare its classes;
     * each time more of them are ready, and the schedules are the same, so a real deadlock hangs every time.
     */
    private static void searchAgainIfItHangs(Runnable counted) {
        for (int attempt = 1; ; attempt++) {
            try {
                SCHEDULES_TRIED.putLong(0, 0);
                Lincheck.runConcurrentTestInternal$lincheck(MAX_SCHEDULES, SETTINGS, counted);
                return;
            } catch (LincheckAssertionError failure) {
                boolean hung = String.valueOf(failure.getMessage()).contains("Concurrent test has hung");
                if (!hung || attempt == MAX_ATTEMPTS) {
                    throw failure;
                }
                System.out.println("SCHEDULES a schedule has hung: once more");
            }
        }
    }

    /**
     * Runs these on a thread each, and waits for all of them and for the tasks that they gave to Reactor's parallel
     * threads; fails if one did.
     */
    public static void runConcurrently(Runnable... parts) {
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
            require(SCHEDULER.join(), "a task of another thread failed");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (!failures.isEmpty()) {
            throw new AssertionError(failures.get(0));
        }
    }

    /** Runs the delayed tasks of Reactor's parallel threads now, on this thread, but not tasks that these begin. */
    public static void runDelayedTasks() {
        SCHEDULER.runDelayed();
    }

    /** Runs the delayed tasks, and waits for the tasks that these begin. */
    public static void runDelayedTasksAndWait() {
        runDelayedTasks();
        runConcurrently();
    }

    /** Fails if a condition does not hold; cheaper to search through than a library's assertion. */
    public static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
