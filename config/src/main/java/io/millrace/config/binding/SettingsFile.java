package io.millrace.config.binding;

import io.millrace.config.DataSize;
import io.millrace.config.problem.InvalidValueException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads settings files and other small UTF-8 files, with a remedy for each failure. Blocks. */
final class SettingsFile {
    /** Size limit of a settings file in bytes: a thousand buckets need a tenth of it. */
    static final int LARGEST = 1 << 20;

    private SettingsFile() {}

    /** Reads a settings file, which may also be a pipe. */
    static String read(Path file) throws InvalidValueException {
        if (Files.isDirectory(file)) {
            throw new InvalidValueException("is a folder", "give the path of the YAML file itself");
        }
        byte[] bytes = bytes(file, LARGEST);
        if (bytes.length > LARGEST) {
            throw new InvalidValueException(
                    "is larger than " + new DataSize(LARGEST), "check that this is the settings file");
        }
        return text(bytes);
    }

    /** Reads at most {@code limit} + 1 bytes, so that the caller can detect a larger file. */
    static byte[] bytes(Path file, int limit) throws InvalidValueException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(limit + 1);
        } catch (NoSuchFileException e) {
            throw new InvalidValueException("there is no such file", "create it, or correct the path");
        } catch (AccessDeniedException e) {
            throw new InvalidValueException("the file may not be read", "let the user who runs Millrace read it");
        } catch (FileSystemException e) {
            throw new InvalidValueException("the file cannot be read: " + e.getReason(), "correct the path");
        } catch (IOException e) {
            throw new InvalidValueException("the file cannot be read", "check the disk it is on");
        }
    }

    /** Decodes UTF-8 and drops a byte order mark. */
    static String text(byte[] bytes) throws InvalidValueException {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            throw new InvalidValueException("is not UTF-8 text", "save it as UTF-8");
        }
    }
}
