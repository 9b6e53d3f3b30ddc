package io.millrace.config;

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

/** Reads small UTF-8 files, and says of each way it can fail what to do. Blocks. */
final class SettingsFile {
    /** Largest settings file in bytes: a thousand buckets need a tenth of it. */
    static final int LARGEST = 1 << 20;

    private SettingsFile() {}

    /** The text of the settings file. It need not be a plain file: a pipe works as well. */
    static String read(Path file) throws Unfit {
        if (Files.isDirectory(file)) {
            throw new Unfit("is a folder", "give the path of the YAML file itself");
        }
        byte[] bytes = bytes(file, LARGEST);
        if (bytes.length > LARGEST) {
            throw new Unfit("is larger than " + new DataSize(LARGEST), "check that this is the settings file");
        }
        return text(bytes);
    }

    /** At most one byte more than {@code limit}, so that the caller sees when there is more. */
    static byte[] bytes(Path file, int limit) throws Unfit {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(limit + 1);
        } catch (NoSuchFileException e) {
            throw new Unfit("there is no such file", "create it, or correct the path");
        } catch (AccessDeniedException e) {
            throw new Unfit("the file may not be read", "let the user who runs Millrace read it");
        } catch (FileSystemException e) {
            throw new Unfit("the file cannot be read: " + e.getReason(), "correct the path");
        } catch (IOException e) {
            throw new Unfit("the file cannot be read", "check the disk it is on");
        }
    }

    /** The bytes as text. A byte order mark is no part of it. */
    static String text(byte[] bytes) throws Unfit {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            throw new Unfit("is not UTF-8 text", "save it as UTF-8");
        }
    }
}
