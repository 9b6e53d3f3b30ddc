package io.millrace.backend.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A disk that can lose its power: an XFS file system in a loop-mounted image file. After {@link #cutPower} every access
 * fails; after {@link #restart} it holds at least what was synced. For one thread.
 */
public final class PowerCutDisk implements AutoCloseable {
    private final Path image;
    private final String device;
    private final Path folder;

    private PowerCutDisk(Path image, String device, Path folder) {
        this.image = image;
        this.device = device;
        this.folder = folder;
    }

    /**
     * Mounts a new disk at {@code folder}, which must be empty. Returns empty where this is impossible: it needs root
     * and xfsprogs.
     */
    public static Optional<PowerCutDisk> mount(Path folder) throws IOException {
        Path image = Files.createTempFile("millrace-disk", "");
        Optional<String> device = run("truncate", "-s", "512M", image.toString())
                .flatMap(made -> run("mkfs.xfs", "-q", image.toString()))
                .flatMap(made -> run("losetup", "--find", "--show", image.toString()));
        if (device.isEmpty()) {
            Files.delete(image);
            return Optional.empty();
        }
        PowerCutDisk disk = new PowerCutDisk(image, device.get(), folder);
        if (run("mount", device.get(), folder.toString()).isEmpty()) {
            disk.close();
            return Optional.empty();
        }
        return Optional.of(disk);
    }

    /** Returns the folder that the disk is mounted at. */
    public Path folder() {
        return folder;
    }

    /** Cuts the power: what was not synced is lost, and every access fails. */
    public void cutPower() {
        requireSuccess("xfs_io", "-x", "-c", "shutdown", folder.toString());
    }

    /** Mounts the disk again. None of its files may be open. */
    public void restart() {
        requireSuccess("umount", folder.toString());
        requireSuccess("mount", device, folder.toString());
    }

    @Override
    public void close() throws IOException {
        // A failure leaves the disk mounted, which fails no test.
        run("umount", folder.toString());
        run("losetup", "--detach", device);
        Files.delete(image);
    }

    private static void requireSuccess(String... command) {
        if (run(command).isEmpty()) {
            throw new IllegalStateException("failed: " + List.of(command));
        }
    }

    /** Runs a program and returns its output; empty if it is missing or fails. */
    private static Optional<String> run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? Optional.of(text.strip()) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
