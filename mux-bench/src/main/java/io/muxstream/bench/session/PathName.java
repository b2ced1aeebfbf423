package io.muxstream.bench.session;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The names that files have below a folder, as both ends write them: parts between slashes, each percent-encoded, so that they survive
 * whatever characters and whatever locale.
 */
final class PathName {
    private final Path folder;
    private final String folderUri;

    /** The names below a folder, which is there and absolute. */
    PathName(Path folder) {
        this.folder = folder;
        String uri = folder.toUri().toString();
        this.folderUri = uri.endsWith("/") ? uri : uri + "/";
    }

    /** The name of something below the folder. */
    String of(Path file) {
        String name = file.toUri().toString().substring(folderUri.length());
        return name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
    }

    /**
     * The path that a name stands for, relative to the folder. Looks at no disk.
     *
     * @throws IllegalArgumentException where it is none that {@link #of} gives: absolute, with {@code .} or {@code ..} in it, or malformed
     */
    Path toPath(String name) {
        if (name.isEmpty() || name.startsWith("/")) {
            throw new IllegalArgumentException("expected a path relative to the folder, got '" + name + "'");
        }
        Path absolute = Path.of(URI.create(folderUri + name));
        if (!absolute.startsWith(folder) || absolute.getNameCount() == folder.getNameCount()) {
            throw new IllegalArgumentException("expected a path below the folder, got '" + name + "'");
        }
        Path relative = absolute.subpath(folder.getNameCount(), absolute.getNameCount());
        for (Path part : relative) {
            String text = part.toString();
            if (text.isEmpty() || text.equals(".") || text.equals("..")) {
                throw new IllegalArgumentException("expected a path without '.' and '..', got '" + name + "'");
            }
        }
        return relative;
    }

    /** The name as people read it. */
    static String display(String name) {
        return URLDecoder.decode(name.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
