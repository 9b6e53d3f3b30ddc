package io.millrace.backend.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A disk that can fail, and lose its power: XFS in a file of its own. From {@link #fail} on everything asked of it fails, and
 * after {@link #restart} it holds what had been forced and perhaps more. For one thread.
 */
public final class CutDisk implements AutoCloseable {
    private final Path image;
    private final String device;
    private final Path folder;

    private CutDisk(Path image, String device, Path folder) {
        this.image = image;
        this.device = device;
        this.folder = folder;
    }

    /** A new one whose files are below {@code folder}, an empty one; empty where that cannot be had: it needs root and xfsprogs. */
    public static Optional<CutDisk> mount(Path folder) throws IOException {
        Path image = Files.createTempFile("millrace-disk", "");
        Optional<String> device = ask("truncate", "-s", "512M", image.toString())
                .flatMap(made -> ask("mkfs.xfs", "-q", image.toString()))
                .flatMap(made -> ask("losetup", "--find", "--show", image.toString()));
        if (device.isEmpty()) {
            Files.delete(image);
            return Optional.empty();
        }
        CutDisk disk = new CutDisk(image, device.get(), folder);
        if (ask("mount", device.get(), folder.toString()).isEmpty()) {
            disk.close();
            return Optional.empty();
        }
        return Optional.of(disk);
    }

    /** Where its files are. */
    public Path folder() {
        return folder;
    }

    /** Cuts it off: what was not forced is lost, and nothing can be read or written. */
    public void fail() {
        must("xfs_io", "-x", "-c", "shutdown", folder.toString());
    }

    /** Brings it back. No file of it may be open. */
    public void restart() {
        must("umount", folder.toString());
        must("mount", device, folder.toString());
    }

    @Override
    public void close() throws IOException {
        // A failure leaves a disk behind for whoever looks, and fails no test.
        ask("umount", folder.toString());
        ask("losetup", "--detach", device);
        Files.delete(image);
    }

    private static void must(String... command) {
        if (ask(command).isEmpty()) {
            throw new IllegalStateException("failed: " + List.of(command));
        }
    }

    /** What a program says; empty if it is not there, or fails. */
    private static Optional<String> ask(String... command) {
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
