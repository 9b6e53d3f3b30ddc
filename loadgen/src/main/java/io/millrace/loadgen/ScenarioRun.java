package io.millrace.loadgen;

import io.millrace.loadgen.client.S3ConnectionFactory;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Runs a scenario from the check of the endpoint to the last phase, and prints what it sees. */
final class ScenarioRun {
    private static final int EXIT_SECONDS = 20;

    /** Set by the start script if messages go to a terminal; a JVM cannot ask. */
    private static final String TERMINAL_WIDTH = "millrace.columns";

    private final Scenario scenario;
    private final S3ConnectionFactory connections;
    private final ProcessShare share;
    private final PrintWriter out;
    private final LiveLine live;

    ScenarioRun(
            Scenario scenario, S3ConnectionFactory connections, ProcessShare share, PrintWriter out, PrintWriter err) {
        this.scenario = scenario;
        this.connections = connections;
        this.share = share;
        this.out = out;
        this.live = new LiveLine(err, System.getProperty(TERMINAL_WIDTH) != null);
    }

    /**
     * Runs the scenario and writes its result. If the process is interrupted (Ctrl-C), the phase ends and what was
     * measured is printed and written.
     *
     * @throws IOException if the endpoint cannot be used or the objects cannot be uploaded; the message says why
     */
    RunResult run(String label, String name, MissingObjectMode upload, boolean cleanup, ResultFileOptions output)
            throws IOException, InterruptedException {
        new EndpointProbe(connections).check(scenario.objects().prefix());
        WorkingSet objects = WorkingSet.of(scenario.objects(), CatalogReader.read(scenario.objects(), connections));
        PhaseRunner runner = runner(objects);
        CountDownLatch finished = stopOnInterrupt(runner);
        try {
            upload(runner, objects, upload);
            List<PhaseResult> phases = new ArrayList<>();
            for (PhaseSettings phase :
                    upload == MissingObjectMode.ONLY ? List.<PhaseSettings>of() : scenario.phases()) {
                if (!runner.isStopped()) {
                    phases.add(runAndPrint(runner, phase));
                }
            }
            RunResult result = new RunResult(
                    label,
                    name,
                    connections.endpoints().stream().map(Object::toString).toList(),
                    client(),
                    scenario.objects().text(),
                    1,
                    phases);
            output.write(result);
            if (cleanup && !runner.isStopped()) {
                cleanUp(runner, objects);
            }
            return result;
        } finally {
            out.flush();
            finished.countDown();
        }
    }

    private PhaseRunner runner(WorkingSet objects) {
        return new PhaseRunner(connections, objects, share, PhaseRunner.FAILURE_TIMEOUT, OperationObserver.NONE, live);
    }

    /** Returns whether all phases ran to their end, all operations were right and all rates were reached. */
    boolean isRight(RunResult result) {
        return result.phases().size() == scenario.phases().size()
                && result.phases().stream()
                        .allMatch(phase -> phase.notRight() == 0
                                && phase.right() > 0
                                && phase.isRateReached()
                                && !phase.isWarmInsteadOfCold()
                                && phase.stopped().isEmpty());
    }

    private PhaseResult runAndPrint(PhaseRunner runner, PhaseSettings phase) throws InterruptedException {
        PhaseResult result = runner.run(phase);
        live.clear();
        out.print(ResultTextTable.of(result));
        out.flush();
        return result;
    }

    /** Whether the first phase writes the objects itself. */
    private boolean writesFirst() {
        return !scenario.phases().get(0).operations().hasReads();
    }

    private void upload(PhaseRunner runner, WorkingSet objects, MissingObjectMode mode)
            throws IOException, InterruptedException {
        boolean isNeeded = mode != MissingObjectMode.NEVER
                && objects.isOwned()
                && !writesFirst()
                && ObjectSetupAndCleanup.isNeeded(connections, objects.objects());
        if (isNeeded && mode == MissingObjectMode.MISSING && share.of() > 1) {
            throw new IOException("objects are missing: upload them before the processes start, with --upload-only");
        }
        if (isNeeded && hasColdPhase()) {
            out.println("The missing objects are uploaded in parts, because a cache may keep what is uploaded in one"
                    + " piece");
            out.flush();
        }
        if (isNeeded) {
            require(runner.run(ObjectSetupAndCleanup.phase("upload", hasColdPhase() ? "multipart" : "put")));
        }
    }

    private boolean hasColdPhase() {
        return scenario.phases().stream().anyMatch(PhaseSettings::cold);
    }

    /** Deletes what this run may have written: the generated objects, and those that mixed phases write. */
    private void cleanUp(PhaseRunner runner, WorkingSet objects) throws IOException, InterruptedException {
        if (objects.isOwned()) {
            require(runner.run(ObjectSetupAndCleanup.phase("cleanup", "delete")));
        }
        if (scenario.phases().stream().map(PhaseSettings::operations).anyMatch(objects::usesScratch)) {
            require(runner(objects.scratchOnly()).run(ObjectSetupAndCleanup.phase("cleanup", "delete")));
        }
    }

    private void require(PhaseResult result) throws IOException {
        live.clear();
        if (result.notRight() > 0) {
            throw new IOException("%s of the objects failed: %s"
                    .formatted(result.name(), result.failures().get(0).reason()));
        }
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
