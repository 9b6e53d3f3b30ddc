package io.millrace.loadgen.command;

import io.millrace.loadgen.client.BucketLister;
import io.millrace.loadgen.client.S3Connection;
import io.millrace.loadgen.client.S3ConnectionFactory;
import io.millrace.loadgen.content.ExistingObjects;
import io.millrace.loadgen.content.GeneratedObjects;
import io.millrace.loadgen.content.ObjectCatalog;
import io.millrace.loadgen.content.TestObject;
import io.millrace.loadgen.result.PhaseResult;
import io.millrace.loadgen.result.RunResult;
import io.millrace.loadgen.result.TextTable;
import io.millrace.loadgen.run.EndpointProbe;
import io.millrace.loadgen.run.ObjectPreparation;
import io.millrace.loadgen.run.OperationObserver;
import io.millrace.loadgen.run.PhaseRunner;
import io.millrace.loadgen.run.WorkerShare;
import io.millrace.loadgen.run.WorkingSet;
import io.millrace.loadgen.scenario.ObjectSettings;
import io.millrace.loadgen.scenario.PhaseSettings;
import io.millrace.loadgen.scenario.Scenario;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Runs a scenario from the check of the endpoint to the last phase, and prints what it sees. */
final class ScenarioRun {
    private static final int EXIT_SECONDS = 10;

    /** Set by the start script if messages go to a terminal; a JVM cannot ask. */
    private static final String TERMINAL_WIDTH = "millrace.columns";

    private final Scenario scenario;
    private final S3ConnectionFactory connections;
    private final WorkerShare share;
    private final PrintWriter out;
    private final LiveLine live;

    ScenarioRun(
            Scenario scenario, S3ConnectionFactory connections, WorkerShare share, PrintWriter out, PrintWriter err) {
        this.scenario = scenario;
        this.connections = connections;
        this.share = share;
        this.out = out;
        this.live = new LiveLine(err, System.getProperty(TERMINAL_WIDTH) != null);
    }

    /**
     * Runs the scenario. If the process is interrupted (Ctrl-C), the phase ends and its result is printed.
     *
     * @throws IOException if the endpoint cannot be used or the objects cannot be uploaded; the message says why
     */
    RunResult run(String label, String name, boolean upload, boolean cleanup) throws IOException, InterruptedException {
        new EndpointProbe(connections).check(scenario.objects().prefix());
        WorkingSet objects = WorkingSet.of(scenario.objects(), catalog(scenario.objects()));
        PhaseRunner runner =
                new PhaseRunner(connections, objects, share, PhaseRunner.FAILURE_TIMEOUT, OperationObserver.NONE, live);
        CountDownLatch finished = stopOnInterrupt(runner);
        try {
            if (upload && objects.isOwned() && !writesFirst()) {
                uploadMissing(runner, objects.objects());
            }
            List<PhaseResult> phases = new ArrayList<>();
            for (PhaseSettings phase : scenario.phases()) {
                if (!runner.isStopped()) {
                    phases.add(runAndPrint(runner, phase));
                }
            }
            if (cleanup && objects.isOwned() && !runner.isStopped()) {
                require(runner.run(ObjectPreparation.phase("cleanup", "delete")));
            }
            return new RunResult(
                    label,
                    name,
                    connections.endpoints().stream().map(Object::toString).toList(),
                    client(),
                    1,
                    phases);
        } finally {
            out.flush();
            finished.countDown();
        }
    }

    /** Returns whether all phases ran to their end and all operations were right. */
    boolean isRight(RunResult result) {
        return result.phases().size() == scenario.phases().size()
                && result.phases().stream()
                        .allMatch(phase -> phase.notRight() == 0
                                && phase.right() > 0
                                && phase.stopped().isEmpty());
    }

    private PhaseResult runAndPrint(PhaseRunner runner, PhaseSettings phase) throws InterruptedException {
        PhaseResult result = runner.run(phase);
        live.clear();
        out.print(TextTable.of(result));
        out.flush();
        return result;
    }

    /** Whether the first phase writes the objects itself. */
    private boolean writesFirst() {
        return !scenario.phases().get(0).operations().hasReads();
    }

    private void uploadMissing(PhaseRunner runner, ObjectCatalog objects) throws IOException, InterruptedException {
        if (ObjectPreparation.isNeeded(connections, objects)) {
            require(runner.run(ObjectPreparation.phase("upload", "put")));
        }
    }

    private void require(PhaseResult result) throws IOException {
        live.clear();
        if (result.notRight() > 0) {
            throw new IOException("%s of the objects failed: %s"
                    .formatted(result.name(), result.failures().get(0).reason()));
        }
    }

    private ObjectCatalog catalog(ObjectSettings settings) throws IOException, InterruptedException {
        return switch (settings.source()) {
            case GENERATED -> new GeneratedObjects(settings.prefix(), settings.count(), settings.size());
            case LISTED -> listed(settings);
            case FILE -> new ExistingObjects(keys(settings.keysFile().orElseThrow()));
        };
    }

    private ObjectCatalog listed(ObjectSettings settings) throws IOException, InterruptedException {
        S3Connection connection = connections.create();
        List<TestObject> objects = new BucketLister(connection).list(settings.prefix(), settings.count());
        connection.schedule(connection::close, 0);
        if (objects.isEmpty()) {
            throw new IOException("the bucket has no object below '%s'".formatted(settings.prefix()));
        }
        return new ExistingObjects(objects);
    }

    /** Reads a file of keys. Their sizes and bytes are unknown. */
    private static List<TestObject> keys(Path file) throws IOException {
        List<TestObject> objects = Files.readAllLines(file).stream()
                .filter(key -> !key.isBlank())
                .map(key -> TestObject.existing(key, TestObject.UNKNOWN_SIZE))
                .toList();
        if (objects.isEmpty()) {
            throw new IOException(file + " has no key");
        }
        return objects;
    }

    /** On Ctrl-C, lets operations in progress end and waits until the result is printed. */
    private static CountDownLatch stopOnInterrupt(PhaseRunner runner) {
        CountDownLatch finished = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            if (finished.getCount() > 0) {
                runner.stop("interrupted");
                try {
                    finished.await(EXIT_SECONDS, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }));
        return finished;
    }

    private static String client() {
        return "%s %s, %d processors, Java %s"
                .formatted(
                        System.getProperty("os.name"),
                        System.getProperty("os.arch"),
                        Runtime.getRuntime().availableProcessors(),
                        Runtime.version());
    }
}
